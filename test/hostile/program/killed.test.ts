import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { openOutput } from '../../../src/tape/output.js';
import { commandLine } from '../../support/program.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { until } from '../../support/turns.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

it('a server killed while writing: the next one starts with its files, and replaces its sockets and tape', async () => {
  const directory = temporary();
  const tape = join(directory, 'run.tape.gz');
  const flags = ['--control', '127.0.0.1:0', '--record', tape, '--nri-socket', join(directory, 'nri.sock')];
  const victim = await startVictim(directory, flags);
  await victim.container('while :; do echo x; done', { logPath: 'c.log' });
  const calls = Promise.allSettled(Array.from({ length: 200 }, () => victim.cri.listContainers({})));
  const ended = once(victim.child, 'exit');
  victim.child.kill('SIGKILL');
  await Promise.all([ended, calls]);
  victim.cri.close();
  const next = await startVictim(directory, flags);
  await next.version();
  expect(await next.stop()).toBe(0);
  expect(readFileSync(tape).length).toBeGreaterThan(100);
});

it('a simulation over a socket that was killed: the next one removes its directory', async () => {
  const directory = temporary();
  const env = { ...process.env, TMPDIR: directory };
  const simulate = (duration: string, flag: string) => {
    const file = join(directory, `${duration}.yaml`);
    writeFileSync(file, `version: 1\nkubelet: {}\npods: []\nuntil: ${duration}\nexpect: {}\n`);
    return spawn(process.execPath, commandLine('simulate', file, flag), { env });
  };
  const sockets = () =>
    readdirSync(directory).filter((name) => existsSync(join(directory, name, 'cri.sock')));
  const killed = simulate('1h', '--real');
  const ended = once(killed, 'exit');
  await until(() => sockets().length > 0 || killed.exitCode !== null);
  expect(sockets()).toHaveLength(1);
  killed.kill('SIGKILL');
  await ended;
  expect(sockets()).toHaveLength(1);
  expect(await once(simulate('1s', '--socket'), 'exit')).toEqual([0, null]);
  expect(sockets()).toEqual([]);
});

it('a tape with only the first bytes of a killed server can be overwritten, but only by the command line', async () => {
  const directory = temporary();
  const file = join(directory, 'cut.tape.gz');
  const whole = await openOutput(file, true);
  whole.stream.end('{"t":0,"kind":"header","version":1}\n');
  await once(whole.output, 'close');
  const bytes = readFileSync(file);
  for (let length = 1; length < bytes.length; length++) {
    writeFileSync(file, bytes);
    truncateSync(file, length);
    if (length < 2) await expect(openOutput(file, true)).rejects.toThrow('is not a tape');
    else await (await openOutput(file, true)).discard();
  }
  truncateSync(file, 10);
  await expect(openOutput(file, false)).rejects.toThrow('is not a tape');
  writeFileSync(file, 'my notes');
  await expect(openOutput(file, true)).rejects.toThrow('is not a tape');
});

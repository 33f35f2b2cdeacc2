import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { connectCri } from '../../../src/cri/client/connect.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

const DESCRIPTORS = 512;

/** Each takes more descriptors than the server may open, unless something limits it, and says when it has them. */
const attacks: Readonly<Record<string, string>> = {
  'files of a volume':
    'for n in $(seq 90); do sleep 1000 3<$f 4<$f 5<$f 6>>$f 7>>$f 8>>$f & done 2>/dev/null; echo done; wait',
  ports: 'for n in $(seq 2000 2550); do nc -l -p $n 2>/dev/null & done; echo done; wait',
};

it.each(Object.entries(attacks))('the server keeps descriptors for others: %s', async (_, script) => {
  const directory = temporary();
  const files = join(directory, 'files');
  mkdirSync(files);
  const victim = await startVictim(directory, ['--control', '127.0.0.1:0'], DESCRIPTORS);
  const mounts = [{ containerPath: '/files', hostPath: files }];
  await victim.container(`f=/files/one; echo x >$f; ${script}`, { mounts, logPath: 'attack.log' });
  const log = (name: string) => readFileSync(join(directory, name), 'utf8');
  await expect.poll(() => log('attack.log'), { timeout: 60_000 }).toContain('done');
  await expect.poll(() => victim.version(), { timeout: 60_000 }).toBeLessThan(60_000);
  expect(victim.descriptors()).toBeLessThan(DESCRIPTORS / 2);
  const newcomer = connectCri(victim.socket);
  expect(await newcomer.version({ version: '' })).toMatchObject({ runtimeName: 'mockri' });
  newcomer.close();
  expect((await fetch(`${victim.control}/v1/calls`)).status).toBe(200);
  const bystander = await victim.newPod('bystander');
  await bystander.container('echo here; cat /files/one; sleep 1000', { mounts, logPath: 'bystander.log' });
  await expect.poll(() => log('bystander.log'), { timeout: 60_000 }).toContain('here');
  expect(await victim.stop()).toBe(0);
});

it('a process that ends closes what its command opened', async () => {
  const directory = temporary();
  const victim = await startVictim(directory);
  const mounts = [{ containerPath: '/files', hostPath: directory }];
  const containerId = await victim.container('sleep 1000', { mounts });
  const before = victim.descriptors();
  const lines = ['dd if=/files/f of=/no/file', 'cmp /files/f /no/file', 'tail -f /files/f & kill -9 $!'];
  const script = `echo x >/files/f; for n in $(seq 30); do ${lines.map((line) => `(${line})`).join('; ')}; done`;
  await victim.cri.execSync({ containerId, cmd: ['sh', '-c', script], timeout: 60n });
  await expect.poll(() => victim.descriptors(), { timeout: 60_000 }).toBeLessThan(before + 10);
  expect(victim.warnings()).toEqual([]);
  expect(await victim.stop()).toBe(0);
});

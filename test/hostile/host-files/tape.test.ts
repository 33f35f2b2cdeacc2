import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { afterEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { killVictims, startVictim, type Victim } from '../kit.js';

const temporary = useTemporaryDirectories();
afterEach(killVictims);

const record = async (victim: Victim, file: string) => {
  const answer = await fetch(`${victim.control}/v1/tape`, { method: 'POST', body: JSON.stringify({ file }) });
  return { status: answer.status, text: await answer.text() };
};

it('refuses to record into a pipe or a socket, without waiting', async () => {
  const directory = temporary();
  const pipe = join(directory, 'pipe');
  spawnSync('mkfifo', [pipe]);
  const victim = await startVictim(directory, ['--control', '127.0.0.1:0']);
  for (let n = 0; n < 8; n++)
    for (const file of [pipe, victim.socket])
      expect(await record(victim, file)).toMatchObject({
        status: 409,
        text: expect.stringContaining('it is a pipe or a socket; give a regular file'),
      });
  expect(await victim.container('echo x > /tmp/x')).toBeTruthy();
  expect(await victim.stop()).toBe(0);
});

it('overwrites only tapes, and follows no link', async () => {
  const directory = temporary();
  const victim = await startVictim(directory, ['--control', '127.0.0.1:0']);
  const at = (name: string) => join(directory, name);
  writeFileSync(at('notes'), 'keep me');
  writeFileSync(at('empty'), '');
  writeFileSync(at('notes.gz'), gzipSync('keep me'));
  symlinkSync(at('notes'), at('link'));
  symlinkSync(at('nothing'), at('dangling'));
  symlinkSync(at('own'), at('link-to-tape'));
  const stop = () => fetch(`${victim.control}/v1/tape`, { method: 'POST', body: '{"stop": true}' });
  for (const own of ['own', 'own.gz', 'own', 'own.gz']) {
    expect(await record(victim, at(own))).toMatchObject({ status: 201 });
    await victim.version();
    await stop();
  }
  const tape = readFileSync(at('own'));
  expect(
    tape
      .toString()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind)[0],
  ).toBe('header');
  const none = 'the file exists and is not a tape';
  const refused: Readonly<Record<string, string>> = {
    [at('notes')]: none,
    [at('empty')]: none,
    [at('notes.gz')]: none,
    [at('link')]: 'it is a link',
    [at('dangling')]: 'it is a link',
    [at('link-to-tape')]: 'it is a link',
    [directory]: 'it is a directory',
    [at('no/such')]: 'there is no such directory',
    '/proc/self/mem': none,
    '/proc/self/exe': 'it is a link',
    '/proc/self/fd/1': 'it is a link',
    '/proc/self/comm': none,
    '/dev/full': none,
  };
  for (const [file, why] of Object.entries(refused))
    expect([file, await record(victim, file)]).toEqual([
      file,
      { status: 409, text: expect.stringContaining(why) },
    ]);
  expect(readFileSync(at('notes'), 'utf8')).toBe('keep me');
  expect(readFileSync(at('own'))).toEqual(tape);
  expect(existsSync(at('nothing'))).toBe(false);
  expect(await victim.stop()).toBe(0);
});

it('finishes a tape properly when the process is terminated', async () => {
  const directory = temporary();
  const file = join(directory, 'run.tape.gz');
  const victim = await startVictim(directory, ['--control', '127.0.0.1:0', '--record', file]);
  const rule = JSON.stringify({ shorthand: 'Status=stall' });
  expect((await fetch(`${victim.control}/v1/faults`, { method: 'POST', body: rule })).status).toBe(201);
  victim.cri.status({ verbose: false }, { timeout: 60_000 }).catch(() => {});
  for (let n = 0; n < 50; n++) await victim.cri.version({ version: 'x'.repeat(100_000) });
  expect(await victim.stop()).toBe(0);
  const lines = gunzipSync(readFileSync(file)).toString().trimEnd().split('\n');
  const entries = lines.map((line) => JSON.parse(line) as { kind: string; method?: string });
  expect(entries.filter(({ kind, method }) => kind === 'call' && method === 'Version')).toHaveLength(50);
});

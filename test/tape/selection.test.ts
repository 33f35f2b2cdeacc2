import { spawnSync } from 'node:child_process';
import { expect, test } from 'vitest';
import { commandLine } from '../support/program.js';
import { recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

const mockri = (...args: string[]) => spawnSync(process.execPath, commandLine(...args), { encoding: 'utf8' });

const recordWeb = () => recordRun({ directory: directory() }, (cri) => wholeLife(cri, 'web'));

test('a name that is not on the tape is an error with the nearest one, and prints nothing else', async () => {
  const file = await recordWeb();
  for (const [option, word, near] of [
    ['--pod', 'wep', '; did you mean "web"?'],
    ['--pod', 'zzz', '; it names web'],
    ['--container', 'ap', '; did you mean "app"?'],
    ['--node', 'nope', '; it names none'],
  ] as const)
    for (const how of [[], ['--json'], ['--flat']]) {
      const { status, stdout, stderr } = mockri('tape', 'show', file, option, word, ...how);
      expect(stderr).toContain(`${option} ${word}: nothing on the tape has this name${near}`);
      expect(stdout).toBe('');
      expect(status).toBe(2);
    }
  expect(mockri('tape', 'export', file, '--format', 'tape', '--node', 'nope')).toMatchObject({
    status: 2,
    stdout: '',
  });
});

test('a pod is chosen by its name, its namespace and name, or the beginning of its id', async () => {
  const file = await recordWeb();
  const all = mockri('tape', 'show', file, '--pod', 'web', '--json');
  expect(all.status).toBe(0);
  const [, id = ''] = /"podSandboxId":"(\w+)"/.exec(all.stdout) ?? [];
  expect(mockri('tape', 'show', file, '--pod', 'default/web', '--json').stdout).toBe(all.stdout);
  expect(mockri('tape', 'show', file, '--pod', id.slice(0, 12), '--json').stdout).not.toBe('');
  expect(mockri('tape', 'show', file, '--pod', 'web', '--container', 'app', '--json').status).toBe(0);
});

test('filters that can choose nothing together are refused', async () => {
  const file = await recordWeb();
  for (const args of [
    ['tape', 'show', file, '--only', 'pleg', '--method', 'StartContainer'],
    ['tape', 'show', file, '--only', 'image', 'step', '--pod', 'web'],
    ['tape', 'show', file, '--only', 'row', '--container', 'app'],
    ['tape', 'show', file, '--only', 'row', '--faulty'],
    ['watch', '--only', 'event', '--method', 'StartContainer'],
    ['watch', '--only', 'event', '--faulty'],
  ]) {
    const { status, stdout, stderr } = mockri(...args);
    expect(stderr).toContain('choose nothing together');
    expect({ status, stdout }).toEqual({ status: 2, stdout: '' });
  }
});

test('a focus of conformance that chooses nothing names the nearest word', () => {
  const { status, stderr } = mockri(
    'conformance',
    '--endpoint',
    'unix:///nobody',
    '--focus',
    'StartContainr',
  );
  expect(stderr).toContain('--focus StartContainr: no check matches; did you mean "StartContainer"?');
  expect(status).toBe(2);
  const skipped = mockri('conformance', '--list', '--skip', '.');
  expect(skipped.stderr).toContain('--skip leaves no check of those that --focus chooses');
  expect(skipped.status).toBe(2);
});

test('what is shown is in order of time', async () => {
  const file = await recordRun({ directory: directory() }, async (cri, clock) => {
    const slow = clock.sleep(500).then(() => wholeLife(cri, 'b'));
    const abort = new AbortController();
    const stream = (async () => {
      for await (const _ of cri.getContainerEvents({}, { signal: abort.signal })) await clock.sleep(0);
    })().catch(() => {});
    await wholeLife(cri, 'a');
    await slow;
    abort.abort();
    await stream;
  });
  const json = mockri('tape', 'show', file, '--json').stdout.trim().split('\n');
  const times = json.map((line) => (JSON.parse(line) as { t: number }).t);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const columns = (...how: string[]) =>
    mockri('tape', 'show', file, ...how)
      .stdout.split(/\n\n|\n {2}\w+\n/)
      .map((group) => [...group.matchAll(/^ +(\d+\.\d+)s /gm)].map(([, seconds]) => Number(seconds)));
  for (const group of [...columns(), ...columns('--flat')])
    expect(group).toEqual(group.toSorted((a, b) => a - b));
});

import { expect, test } from 'vitest';
import { runCommand as mockri } from '../support/command.js';
import { recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

const recordWeb = () => recordRun({ directory: directory() }, (cri) => wholeLife(cri, 'web'));

test('a name that is not on the tape is an error with the nearest one and no other output', async () => {
  const file = await recordWeb();
  for (const [option, word, near] of [
    ['--pod', 'wep', '; did you mean "web"?'],
    ['--pod', 'zzz', '; it names web'],
    ['--container', 'ap', '; did you mean "app"?'],
    ['--node', 'nope', '; it names none'],
  ] as const)
    for (const how of [[], ['--json'], ['--flat']]) {
      const { code, out, err } = await mockri('tape', 'show', file, option, word, ...how);
      expect(err).toContain(`${option} ${word}: nothing on the tape has this name${near}`);
      expect(out).toBe('');
      expect(code).toBe(2);
    }
  expect(await mockri('tape', 'export', file, '--format', 'tape', '--node', 'nope')).toMatchObject({
    code: 2,
    out: '',
  });
});

test('a pod is selected by its name, its namespace and name, or the beginning of its id', async () => {
  const file = await recordWeb();
  const all = await mockri('tape', 'show', file, '--pod', 'web', '--json');
  expect(all.code).toBe(0);
  const [, id = ''] = /"podSandboxId":"(\w+)"/.exec(all.out) ?? [];
  expect((await mockri('tape', 'show', file, '--pod', 'default/web', '--json')).out).toBe(all.out);
  expect((await mockri('tape', 'show', file, '--pod', id.slice(0, 12), '--json')).out).not.toBe('');
  expect((await mockri('tape', 'show', file, '--pod', 'web', '--container', 'app', '--json')).code).toBe(0);
});

test('filters that exclude each other are refused', async () => {
  const file = await recordWeb();
  for (const args of [
    ['tape', 'show', file, '--only', 'pleg', '--method', 'StartContainer'],
    ['tape', 'show', file, '--only', 'image', 'step', '--pod', 'web'],
    ['tape', 'show', file, '--only', 'row', '--container', 'app'],
    ['tape', 'show', file, '--only', 'row', '--faulty'],
    ['watch', '--only', 'event', '--method', 'StartContainer'],
    ['watch', '--only', 'event', '--faulty'],
  ]) {
    const { code, out, err } = await mockri(...args);
    expect(err).toContain('choose nothing together');
    expect({ code, out }).toEqual({ code: 2, out: '' });
  }
});

test('a focus of conformance without matches names the nearest word', async () => {
  const { code, err } = await mockri(
    'conformance',
    '--endpoint',
    'unix:///nobody',
    '--focus',
    'StartContainr',
  );
  expect(err).toContain('--focus StartContainr: no check matches; did you mean "StartContainer"?');
  expect(code).toBe(2);
  const skipped = await mockri('conformance', '--list', '--skip', '.');
  expect(skipped.err).toContain('--skip excludes every check that --focus selects');
  expect(skipped.code).toBe(2);
});

test('each group of shown entries has a heading', async () => {
  const file = await recordRun({ directory: directory() }, async (cri) => {
    await wholeLife(cri, 'web');
    await cri.containerStatus({ containerId: 'none' }).catch(() => {});
  });
  const { out } = await mockri('tape', 'show', file);
  const [, ...groups] = out.split('\n\n');
  expect(groups.map((group) => group.split(/\n| {3}/)[0])).toEqual([
    'default/web',
    'the rest',
    'calls about no pod, all OK',
  ]);
});

test('entries are shown in order of time', async () => {
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
  const json = (await mockri('tape', 'show', file, '--json')).out.trim().split('\n');
  const times = json.map((line) => (JSON.parse(line) as { t: number }).t);
  expect(times).toEqual(times.toSorted((a, b) => a - b));
  const columns = async (...how: string[]) =>
    (await mockri('tape', 'show', file, ...how)).out
      .split(/\n\n|\n {2}\w+\n/)
      .map((group) => [...group.matchAll(/^ +(\d+\.\d+)s /gm)].map(([, seconds]) => Number(seconds)));
  for (const group of [...(await columns()), ...(await columns('--flat'))])
    expect(group).toEqual(group.toSorted((a, b) => a - b));
});

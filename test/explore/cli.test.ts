import { cpSync, existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { CommanderError } from 'commander';
import { beforeAll, expect, test } from 'vitest';
import { InputError } from '../../src/base/input/yaml.js';
import { createProgram } from '../../src/cli/program.js';
import { usageText } from '../../src/cli/usage.js';
import { runCommand, spawnCommand } from '../support/command.js';
import { useTemporaryDirectory } from '../support/temporary.js';
import { countOf, isThorough, ofAll } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const directory = useTemporaryDirectory();

const path = (name: string) => join(directory, name);
const LEAST = ['--budget', String(countOf(3, 1)), '--depth', '1', '--only', 'state CREATED'];
const run = (...args: string[]) =>
  runCommand('explore', path('web.yaml'), '--workers', '0', ...LEAST, ...args);

/** What most tests look at, which is made once. */
let first: Awaited<ReturnType<typeof run>>;
/** In a process with two threads, and with all findings known. */
let second: Awaited<ReturnType<typeof run>>;
beforeAll(async () => {
  const containers = [{ name: 'app', image: 'nginx:1' }];
  const manifest = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web' }, spec: { containers } };
  const scenario = { version: 1, pods: [{ manifest, behaviors: { app: 'run' } }], until: '60s' };
  writeFileSync(path('web.yaml'), JSON.stringify(scenario));
  writeFileSync(
    path('known.yaml'),
    'known:\n  - { kind: "*CREATED*", why: a stale status is the fault of the runtime }\n',
  );
  first = await run('--out', path('out'), '--json', '--junit', path('report.xml'));
  if (!isThorough) return;
  const threads = ['--workers', '2', '--out', path('run-2'), '--known', path('known.yaml')];
  second = await spawnCommand('explore', path('web.yaml'), ...LEAST, ...threads);
});

test('explore finds, writes and prints a broken rule; exit code 1', () => {
  const { code, out } = first;
  expect(code).toBe(1);
  expect(readFileSync(path('report.xml'), 'utf8')).toContain('<testsuite name="mockri explore"');
  const summary = JSON.parse(out);
  expect(summary).toMatchObject({
    schedules: expect.any(Number),
    perSecond: expect.any(Number),
    finished: true,
  });
  const finding = summary.findings.find(({ rule }: { rule: string }) => rule === 'one-instance');
  // It is known, so only its scenario is written.
  expect(finding).toMatchObject({ explanation: path('out/known.txt') });
  expect([finding.tape, finding.page, existsSync(finding.file)]).toEqual([undefined, undefined, true]);
  expect(readFileSync(finding.explanation, 'utf8')).toContain(
    `${finding.kind}\n  ${finding.message.split('\n')[0]}`,
  );
  expect(JSON.parse(readFileSync(path('out/findings.json'), 'utf8'))).toEqual(summary);
});

const ALL_RUNS = 3;
const RUNS = countOf(ALL_RUNS, 2);

slow(
  `runs without threads or with two find the same, in files that are equal byte by byte (${ofAll(RUNS, ALL_RUNS, 'runs')})`,
  async () => {
    const files = (out: string) => {
      const bytes = (name: string) => readFileSync(join(path(out), name)).toString('latin1');
      return readdirSync(path(out))
        .filter((name) => !/\.json$|^known/.test(name))
        .sort()
        .map((name) => [name, bytes(name).replaceAll(`/${out}/`, '/out/')]);
    };
    expect(files('out').length).toBeGreaterThan(0);
    expect(files('run-2')).toEqual(files('out'));
    if (!isThorough) return;
    await run('--out', path('run-3'));
    expect(files('run-3')).toEqual(files('out'));
  },
);

const ALL_REPLAYS = 5;
const REPLAYS = countOf(ALL_REPLAYS, 1);

slow(`each finding replays each time (${ofAll(REPLAYS, ALL_REPLAYS, 'times')})`, async () => {
  const scenarios = readdirSync(path('out')).filter((name) => name.endsWith('.yaml'));
  expect(scenarios.length).toBeGreaterThan(0);
  for (const name of scenarios)
    for (let time = 0; time < REPLAYS; time++) {
      const { code, err } = await runCommand('simulate', join(path('out'), name));
      expect(code, err).toBe(1);
    }
});

slow('findings that are known do not fail', () => {
  expect(second.code).toBe(0);
  expect(second.out).toMatch(
    /^Known \(see \S+known\.txt\):\n.*: a stale status is the fault of the runtime$/m,
  );
});

slow('findings come by cause, and known behavior of Kubernetes does not fail with --new', async () => {
  const { code, out } = await run('--out', path('out'), '--resume', '--new');
  expect(out).toMatch(/^Known \(see \S+known\.txt\):\n.*: the kubelet starts a container again/m);
  const { causes, findings } = JSON.parse(readFileSync(path('out/findings.json'), 'utf8'));
  expect(causes.flatMap(({ kinds }: { kinds: string[] }) => kinds).sort()).toEqual(
    findings.map(({ kind }: { kind: string }) => kind).sort(),
  );
  expect(causes[0].decision).toMatch(/^the kubelet starts a container again/);
  expect(code).toBe(causes.every(({ isKnown }: { isKnown: boolean }) => isKnown) ? 0 : 1);
});

test('a damaged state is an error that names its file', async () => {
  cpSync(path('out'), path('damaged'), { recursive: true });
  for (const text of ['', '{"key": "a"', '[]']) {
    writeFileSync(path('damaged/state.json'), text);
    const { code, err } = await run('--out', path('damaged'), '--resume');
    expect([code, err]).toEqual([2, expect.stringMatching(/^mockri: \S+\/damaged\/state\.json: /)]);
  }
});

slow('shards are merged, one finding of each kind', async () => {
  await run('--out', path('1'), '--shard', '1/2', '--budget', '3');
  await run('--out', path('2'), '--shard', '2/2', '--budget', '3');
  const merge = ['explore', 'merge', path('1'), path('2'), '--out', path('all'), '--json'];
  const { code, out } = await runCommand(...merge);
  expect(code).toBe(1);
  const summary = JSON.parse(out);
  const isNew = summary.findings.some(({ behavior }: { behavior?: string }) => behavior === undefined);
  expect((await runCommand(...merge, '--new')).code).toBe(isNew ? 1 : 0);
  const kinds = summary.findings.map(({ kind }: { kind: string }) => kind);
  expect(kinds).toContain('one-instance | state CREATED ContainerStatus');
  expect(new Set(kinds).size).toBe(kinds.length);
  for (const { file } of summary.findings) expect(existsSync(file)).toBe(true);
});

slow('several kubelet versions give a table', async () => {
  const { out } = await run('--out', path('versions'), '--kubelet-version', '1.30,1.36');
  expect(out).toMatch(/^1\.30 {2}1\.36 {2}FINDING\nX {5}[X.] {5}/m);
});

test('invalid input ends the command with exit code 2', async () => {
  const err = `mockri: --out: /proc cannot be written to: ENOENT\n`;
  expect(await run('--out', '/proc')).toEqual({ code: 2, out: '', err });
});

/** What is wrong with the arguments, as the command prints it. */
async function refused(...args: readonly string[]): Promise<string> {
  const program = await createProgram('explore');
  const error: unknown = await program
    .parseAsync(['explore', ...args], { from: 'user' })
    .catch((failure: unknown) => failure);
  if (error instanceof CommanderError) return `${usageText(error)}\n`;
  expect(error).toBeInstanceOf(InputError);
  return `${(error as InputError).message}\n`;
}

test.each([
  [
    ['--budget', 'soon'],
    '--budget: expected a duration such as "10m", or a number of schedules; given "soon"\n',
  ],
  [['--shard', '3/2'], '--shard: expected a shard such as "1/4"; given "3/2"\n'],
  [['--kubelet-version', '1.28..1.99'], '--kubelet-version: given "1.28..1.99"'],
  [['--depth', '9'], '--depth: expected a whole number from 1 to 5'],
  [['--known', '/nowhere'], '--known'],
  [
    ['--only', 'StartContainr'],
    '--only: nothing in this scenario matches "StartContainr"; did you mean "StartContainer"?\n',
  ],
  [['--only', 'error,restrat'], 'matches "restrat"; did you mean "restart"?\n'],
  [['--only', 'ReopenContainerLog'], 'matches "ReopenContainerLog"; expected clock, '],
  [
    ['--kubelet', '/nowhere'],
    '--kubelet: /nowhere cannot be started: ENOENT; expected the path of a kubelet, or a version such as 1.37',
  ],
  [['--kubelet', '/bin/true'], '--kubelet: /bin/true does not say that it is a kubelet'],
  [
    ['--kubelet', '/bin/true', '--kubelet-version', '1.36'],
    '--kubelet and --kubelet-version exclude each other: the program determines the version',
  ],
  [
    ['--kubelet', 'both', '--kubelet-version', '1.36,1.37'],
    '--kubelet both: given --kubelet-version "1.36,1.37"; expected one version',
  ],
  [
    ['--confirm', '/nowhere'],
    '--confirm: /nowhere cannot be started: ENOENT; expected the path of a kubelet',
  ],
])('%j is refused', async (args, message) => {
  const error = await refused(path('web.yaml'), ...args, '--out', path('mistake'));
  expect(error).toContain(message);
});

const outputs = [
  ['file', 'is a file; expected a directory'],
  ['file/below', 'contains a file; expected a directory'],
  ['/proc/mockri', 'cannot be written to: ENOENT'],
  ['/proc', 'cannot be written to: ENOENT'],
] as const;

test.each(outputs)('--out %s is refused before anything runs', async (out, message) => {
  writeFileSync(path('file'), '');
  const place = out.startsWith('/') ? out : path(out);
  for (const args of [[path('web.yaml')], ['merge', path('out')]])
    expect(await refused(...args, '--out', place)).toBe(`--out: ${place} ${message}\n`);
});

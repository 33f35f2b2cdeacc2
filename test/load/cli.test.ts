import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { turn } from '../../src/base/clock/turn.js';
import { type CriConnection, connectCri } from '../../src/cri/client/connect.js';
import { runLoad } from '../../src/suite/load/load.js';
import { exitCodeOfLoad, loadReportSchema } from '../../src/suite/load/report.js';
import { contentsOf } from '../conformance/contents.js';
import { startTestEndpoint, type TestEndpoint } from '../conformance/test-endpoint.js';
import { runCommand } from '../support/command.js';
import { commandLine } from '../support/program.js';
import { isThorough, sampleOf } from '../support/thorough.js';

const slow = test.runIf(isThorough);

let target: TestEndpoint;
let cri: CriConnection;

beforeAll(async () => {
  target = await startTestEndpoint();
  cri = connectCri(target.endpoint);
});

afterAll(async () => {
  cri.close();
  await target.close();
});

const load = (...flags: string[]) => runCommand('conformance', '--load', ...flags);
const small = ['--clients', '4', '--pods', '12', '--duration', '300ms'];

test('a load prints its results, as text and as JSON, and leaves nothing behind', async () => {
  const before = await contentsOf(cri);
  const text = await load('--endpoint', target.endpoint, ...small);
  expect(text.out).toMatch(
    /^no rule broken: \d+ calls to \d+ pods by 4 clients, 12 at a time, 0\.3 s, seed 1\n$/,
  );
  expect(text).toMatchObject({ code: 0, err: '' });
  const json = await load('--endpoint', target.endpoint, ...small, '--output', 'json', '--seed', '7');
  const report = loadReportSchema.parse(JSON.parse(json.out));
  expect(report).toMatchObject({ seed: 7, clients: 4, filled: 12, kinds: [], left: [], interrupted: false });
  expect(await contentsOf(cri)).toEqual(before);
});

test.each([
  [['--focus', 'INV-01'], /^mockri: --focus has no effect with --load$/m],
  [['--record', '/tmp'], /^mockri: --record has no effect with --load$/m],
  [['--output', 'tap'], /--load: expected --output tree or json; given "tap"/],
  [['--clients', '9', '--pods', '3'], /--pods: expected at least one pod for each of 9 clients; given "3"/],
  [['--clients', '0'], /--clients: expected a whole number from 1 to 256; given 0/],
  [['--duration', 'soon'], /--duration: .*given "soon"/],
])('%j is refused with exit code 2', async (flags, message) => {
  const { code, err, out } = await load('--endpoint', 'unix:///nobody.sock', ...flags);
  expect({ code, out }).toEqual({ code: 2, out: '' });
  expect(err).toMatch(message);
});

test('load options are refused without a load, which needs an endpoint that answers', async () => {
  const other = await runCommand('conformance', '--endpoint', 'unix:///nobody.sock', '--pods', '3');
  expect(other).toMatchObject({ code: 2, out: '' });
  expect(other.err).toMatch(/--pods has no effect without --load/);
  expect((await load()).err).toMatch(/--endpoint is missing/);
  const nobody = await load('--endpoint', 'unix:///nobody.sock', ...small);
  expect(nobody).toMatchObject({ code: 2, out: '' });
  expect(nobody.err).toMatch(/^mockri: Version failed, so this endpoint cannot be tested: UNAVAILABLE/);
});

slow('Ctrl-C prints the findings so far, removes everything, and exits with 130', async () => {
  const before = await contentsOf(cri);
  const pods = async () => (await cri.listPodSandbox({})).items.length;
  const flags = ['conformance', '--load', '--endpoint', target.endpoint, '--output', 'json'];
  const child = spawn(process.execPath, commandLine(...flags));
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  let errors = '';
  child.stderr.on('data', (chunk) => {
    errors += chunk;
  });
  const end = once(child, 'close');
  while ((await pods()) < 20 && child.exitCode === null) await turn();
  child.kill('SIGINT');
  expect(await end, errors).toEqual([130, null]);
  expect(JSON.parse(output)).toMatchObject({ interrupted: true, kinds: [], left: [] });
  expect(await contentsOf(cri)).toEqual(before);
});

const GONE = [
  ['the load', 'load', 60_000],
  ['what is left', 'removing', 1],
] as const;

test.each(sampleOf(GONE, 1))(
  'a runtime that is gone during %s is not judged: exit code 2, and no rule is broken',
  async (_, last, duration) => {
    let isLast = false;
    let closed: Promise<void> | undefined;
    const mortal = await startTestEndpoint({
      // Only the probe at the start and the look for what is left ask for it. The call that closes the runtime has no answer:
      // otherwise the look might be over before.
      wrap: (real) => ({
        ...real,
        listPodSandboxMetrics: (...asked) => {
          if (!isLast) return real.listPodSandboxMetrics(...asked);
          closed ??= mortal.close();
          return new Promise(() => {});
        },
      }),
    });
    const report = await runLoad({
      ...{ endpoint: mortal.endpoint, seed: 1, clients: 8, pods: 20, duration, timeout: 60_000 },
      signal: new AbortController().signal,
      onProgress: ({ phase }) => {
        isLast = phase === last;
        if (phase === 'load' && isLast) closed ??= mortal.close();
      },
    });
    await closed;
    expect(report.incomplete).toMatch(
      /^the load was not judged: the runtime no longer responds: UNAVAILABLE/,
    );
    expect(report.kinds).toEqual([]);
    expect(exitCodeOfLoad(report)).toBe(2);
  },
);

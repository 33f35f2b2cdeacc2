import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { turn } from '../../src/base/clock/turn.js';
import { type CriConnection, connectCri } from '../../src/cri/client/connect.js';
import { runConformance, type SavedReport } from '../../src/suite/conformance/index.js';
import { openTape } from '../../src/tape/read.js';
import { runCommand } from '../support/command.js';
import { commandLine } from '../support/program.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';
import { contentsOf } from './contents.js';
import { startTestEndpoint, type TestEndpoint } from './test-endpoint.js';

/** One like it runs in `npm test`: a load whose runtime goes. */
const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
let target: TestEndpoint;
let cri: CriConnection;

beforeEach(async () => {
  target = await startTestEndpoint();
  cri = connectCri(target.endpoint);
});

afterEach(async () => {
  cri.close();
  await target.close();
});

const conformance = (...flags: string[]) => runCommand('conformance', ...flags);

test('an interrupted run removes the objects of calls in progress', async () => {
  const before = await contentsOf(cri);
  const abort = new AbortController();
  const report = await runConformance({
    ...target,
    focus: /INV-1[0-2]/,
    signal: abort.signal,
    onBegin: ({ id }) => {
      // At this time its calls are in progress, and the ids they will return are unknown.
      if (id === 'INV-12.sandbox') void turn().then(() => abort.abort(new Error('enough')));
    },
  });
  expect(report.interrupted).toBe(true);
  expect(report.left).toEqual([]);
  expect(await contentsOf(cri)).toEqual(before);
});

test('Ctrl-C writes the report of the completed checks, cleans up, and exits with 130', async () => {
  const before = await contentsOf(cri);
  const file = join(temporary(), 'report.json');
  const flags = ['--endpoint', target.endpoint, '--repeat', '50', '--write', file];
  const child = spawn(process.execPath, commandLine('conformance', ...flags));
  let output = '';
  child.stdout.on('data', (chunk) => {
    // The first line is printed when the checks start.
    if (output === '') child.kill('SIGINT');
    output += chunk;
  });
  child.stderr.resume();
  expect(await once(child, 'exit')).toEqual([130, null]);
  expect(output).toMatch(/interrupted: \d+ checks did not run\n$/);
  expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ interrupted: true, left: [] });
  expect(await contentsOf(cri)).toEqual(before);
});

slow(
  'a runtime that is killed in the middle: exit code 2, not judged, and no failure is made up',
  async () => {
    const endpoint = `unix://${join(temporary(), 'cri.sock')}`;
    const serve = ['serve', '--listen', endpoint, '--control', '127.0.0.1:0'];
    const server = spawn(process.execPath, commandLine(...serve), { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(server.stdout, 'data');
    const file = join(temporary(), 'report.json');
    const child = spawn(
      process.execPath,
      commandLine('conformance', '--endpoint', endpoint, '--write', file),
    );
    let output = '';
    let errors = '';
    child.stdout.on('data', (chunk) => {
      // A group is complete then, and other checks are in progress.
      if (output.includes('✓')) server.kill('SIGKILL');
      output += chunk;
    });
    child.stderr.on('data', (chunk) => {
      errors += chunk;
    });
    expect(await once(child, 'close')).toEqual([2, null]);
    expect(errors).toMatch(
      /^mockri: \d+ checks were not judged: the runtime no longer responds: UNAVAILABLE/,
    );
    const report = JSON.parse(readFileSync(file, 'utf8')) as SavedReport;
    expect(report.results.filter(({ outcome }) => outcome === 'failed')).toEqual([]);
    expect(report.results.filter(({ outcome }) => outcome === 'passed').length).toBeGreaterThan(2);
  },
);

test('a dead endpoint leads to exit code 2 and a report', async () => {
  const directory = temporary();
  const [xml, json, page] = [join(directory, 'a.xml'), join(directory, 'a.json'), join(directory, 'a.html')];
  const endpoint = `unix://${join(temporary(), 'nobody.sock')}`;
  const flags = ['--endpoint', endpoint, '--output', 'tap', '--write', xml, '--write', json];
  const dead = await conformance(...flags);
  expect(dead.code).toBe(2);
  expect(dead.out).toMatch(/^Bail out! Version failed, .*UNAVAILABLE/m);
  expect(dead.err).toMatch(/^mockri: Version failed/m);
  expect(readFileSync(xml, 'utf8')).toContain('<error message="Version failed');
  const compared = await conformance('compare', json, json, '--write', page);
  expect(compared).toMatchObject({ code: 0, out: '' });
  expect((await conformance('compare', json, json)).out).toMatch(/^0 checks differ$/m);
  expect(readFileSync(page, 'utf8').match(/<small class="failed">Version failed/g)).toHaveLength(2);
});

test('--record keeps tape and page of a check that fails, and reports link them', async () => {
  await fetch(`${target.control}/v1/faults`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ shorthand: 'ContainerStatus=error(INTERNAL)' }),
  });
  const directory = temporary();
  const [json, html, both] = ['a.json', 'b.html', 'sub/c.html'].map((name) => join(directory, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(join(directory, 'sub'));
  const flags = [
    '--endpoint',
    target.endpoint,
    '--focus',
    'INV-0[1-8]',
    '--record',
    join(directory, 'kept ones'),
  ];
  const { code, out } = await conformance(...flags, '--write', json, '--write', html);
  expect(code).toBe(1);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as SavedReport;
  const failed = results.filter(({ outcome }) => outcome === 'failed');
  expect(failed.length).toBeGreaterThan(0);
  expect(failed.length).toBeLessThan(results.length);
  const [{ id = '', failure } = {}] = failed;
  expect(failure).toMatchObject({ tape: `kept ones/${id}.tape.gz`, page: `kept ones/${id}.html` });
  const kept = readdirSync(join(directory, 'kept ones')).filter((name) => name.endsWith('.tape.gz'));
  expect(kept.sort()).toEqual(failed.map((result) => `${result.id}.tape.gz`).sort());
  expect(out).toContain(`tape:      ${join(directory, 'kept ones', `${id}.tape.gz`)}`);
  const { entries } = await openTape(join(directory, failure?.tape ?? ''));
  const methods: string[] = [];
  for await (const { entry } of entries)
    if (entry.kind === 'reply') methods.push(`${entry.method} ${entry.code}`);
  expect(methods).toContain('ContainerStatus INTERNAL');
  expect(readFileSync(html, 'utf8')).toContain(`<a href="kept%20ones/${id}.html">Timeline</a>`);
  expect(readFileSync(join(directory, failure?.page ?? ''), 'utf8')).toContain(failure?.expected);
  await conformance('compare', json, '--write', both);
  expect(readFileSync(both, 'utf8')).toContain(`<a href="../kept%20ones/${id}.html">Timeline</a>`);
});

test('lists the checks as JSON', async () => {
  const { out, code } = await conformance('--list', '--focus', 'INV-29', '--output', 'json');
  expect(code).toBe(0);
  const checks = JSON.parse(out);
  expect(checks.length).toBeGreaterThan(0);
  for (const check of checks)
    expect(Object.keys(check)).toEqual(['id', 'group', 'tag', 'severity', 'rule', 'source']);
  const other = await conformance('--list', '--output', 'tap');
  expect(other.code).toBe(2);
  expect(other.err).toContain('--list: expected --output tree or json; given "tap"');
});

test.each([
  [
    'INV-53',
    ['--restart-command', 'echo no such unit >&2; exit 5'],
    /ended with exit code 5: no such unit$/m,
  ],
  [
    'INV-54',
    ['--control', 'http://127.0.0.1:2'],
    /--control: no answer from http:\/\/127.0.0.1:2\/v1\/faults \(ECONNREFUSED\)$/m,
  ],
])('%s says what was given and does not work', async (focus, flags, message) => {
  const { code, out } = await conformance('--endpoint', target.endpoint, '--focus', focus, ...flags);
  expect(out).toMatch(message);
  expect(out).not.toMatch(/^\s+at /m);
  expect(code).toBe(1);
});

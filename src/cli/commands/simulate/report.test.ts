import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { checkNamespaces } from '../../../kubelet/hosts/virtual/namespaces.js';
import { simulationParts } from '../../../lab/scenario/simulation/simulation-parts.js';
import { parseKubelets } from '../../options/kubelet-versions.js';
import type { Flags } from './flags.js';
import { runScenarios, type SimulateParts } from './run-scenarios.js';

const directory = useTemporaryDirectory();

const SCENARIO = `
version: 1
title: two versions
until: 5s
pods:
  - manifest: { apiVersion: v1, kind: Pod, metadata: { name: web }, spec: { containers: [{ name: app, image: x }] } }
    behaviors: { app: run }
variants: [{ kubelet: { version: "1.30" } }, { kubelet: { version: "1.36" } }]
`;

/** What a file with this text prints. */
async function printed(text: string, flags: Flags, parts: SimulateParts = simulationParts) {
  const file = join(directory, 'x.yaml');
  await writeFile(file, text);
  const out: string[] = [];
  const err: string[] = [];
  const lines = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
  const ended = await runScenarios([file], flags, parts, lines).then(
    (code) => String(code),
    (error: Error) => error.message,
  );
  return { file, out, err, ended };
}

test('several runs as JSON lines are nothing but JSON, and each row says of which run it is', async () => {
  const { file, out, err } = await printed(SCENARIO, { output: 'json', explain: true });
  const rows = out.map((line) => JSON.parse(line) as { file: string; run: string; pod: string });
  expect([...new Set(rows.map((row) => `${row.file} ${row.run} ${row.pod}`))]).toEqual([
    `${file} kubelet 1.30 web`,
    `${file} kubelet 1.36 web`,
  ]);
  expect(err).toContain('2 runs, 0 failed');
});

test('a run that cannot begin has no head of a table', async () => {
  const one = SCENARIO.replace(/variants.*/, '');
  const { out, ended } = await printed(one, { latency: '/nosuch' });
  expect(ended).toMatch(/^--latency/);
  expect(out).toEqual([]);
  const before = process.env.TMPDIR;
  process.env.TMPDIR = '/nosuch';
  try {
    const over = await printed(one, { socket: true });
    expect(over.out).toEqual([]);
    expect(over.ended).toContain('/nosuch');
  } finally {
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  }
});

test('manifests without guesses leave no empty line', async () => {
  const pod =
    '{ apiVersion: v1, kind: Pod, metadata: { name: web, annotations: { behavior.mockri.dev/app: run } }, spec: { containers: [{ name: app, image: x }] } }';
  const { err, ended } = await printed(pod, { output: 'events' });
  expect(ended).toBe('0');
  expect(err).toEqual([]);
});

test('a line says why the kubelet exits, where the output does not', async () => {
  const refused = SCENARIO.replace(
    /variants.*/,
    'variants: [{ kubelet: { version: "1.36" } }]\nfaults: [{ name: no-version, match: { method: Version }, when: { times: 2 }, then: { error: { code: UNAVAILABLE, message: not yet } } }]',
  );
  const { file, err } = await printed(refused.replace('until: 5s', 'until: 30s'), {});
  expect(err).toEqual([
    expect.stringMatching(
      `^${file}, kubelet 1.36: the kubelet exits 2 times, first at 0(\\.\\d+)? s: .*not yet.*; the service manager restarts it after 10s$`,
    ),
  ]);
  expect((await printed(refused, {})).err).toEqual([expect.stringContaining(': the kubelet exits at 0')]);
  expect((await printed(refused, { explain: true })).err).toEqual([]);
  expect((await printed(refused, { output: 'events' })).err).toHaveLength(1);
  expect((await printed(refused, { output: 'timeline' })).err).toEqual([]);
});

const ONE = SCENARIO.replace(/variants.*/, '').replace('until: 5s', 'until: 40s');

test('a matrix compares each kubelet with the one above, and names the change that explains a difference', async () => {
  const kubeletVersion = ['1.30', '1.31', '1.35'];
  const { out, ended } = await printed(ONE, { output: 'matrix', kubeletVersion });
  expect(ended).toBe('0');
  expect(out.slice(1, 5)).toEqual([
    'KUBELET  strict',
    '1.30     base',
    '1.31     same',
    '1.35     differs [1]',
  ]);
  expect(out.at(-1)).toMatch(/^\[1\] 1\.35, strict: event .*; changed: 1\.35: event texts/);
  const json = await printed(ONE, { json: true, kubeletVersion });
  const { columns, pairs } = JSON.parse(json.out.join(''));
  expect(columns).toEqual([['1.30', '1.31'], ['1.35']]);
  expect(pairs.map(({ verdict }: { verdict: string }) => verdict)).toEqual(['base', 'same', 'differs']);
  expect((await printed(ONE, { output: 'matrix' })).ended).toContain('--output matrix: there is one run');
});

test('an upgrade to 1.31 restarts containers, and one to 1.35 does no more than a restart', async () => {
  const junit = join(directory, 'junit.xml');
  const kubeletVersion = ['1.30', '1.31', '1.34', '1.35'];
  const { out, ended } = await printed(ONE, { upgrade: 'next', kubeletVersion, junit });
  expect(ended).toBe('1');
  expect(out.slice(1, 8).map((line) => line.split(/ {2,}/))).toEqual([
    ['UPGRADE', 'strict'],
    ['1.30 restarted', 'same'],
    ['1.30→1.31', 'differs [1]'],
    ['1.31 restarted', 'same'],
    ['1.31→1.34', 'same'],
    ['1.34 restarted', 'same'],
    ['1.34→1.35', 'same'],
  ]);
  expect(out.at(-1)).toBe(
    "[1] 1.30→1.31, strict: restarts web/app, hashes of containers change; changed: 1.31: a container's hash covers only image and name",
  );
  expect(await readFile(junit, 'utf8')).toContain('tests="9" failures="1"');
  const probed = ONE.replace('image: x', 'image: x, readinessProbe: { exec: { command: ["true"] } }');
  const down = await printed(probed, { upgrade: 'down', kubeletVersion: ['1.33', '1.34'] });
  expect(down.out.slice(2, 4)).toEqual(['1.34 restarted  differs [1]', '1.34→1.33       like a restart']);
  expect(down.ended).toBe('0');
  expect((await printed(ONE, { upgrade: 'next' })).ended).toContain('--upgrade: no version to upgrade to');
});

test('all upgrades with one runtime are a triangle', async () => {
  const { out } = await printed(ONE, { upgrade: 'all', kubeletVersion: ['1.29', '1.30', '1.31'] });
  expect(out.slice(1, 4).map((line) => line.split(/ {2,}/))).toEqual([
    ['UPGRADE', 'restarted', '1.30', '1.31'],
    ['1.29 →', 'same', 'same', 'differs [1]'],
    ['1.30 →', 'same', 'differs [1]'],
  ]);
});

test('runs that --budget leaves out fail the command', async () => {
  const { out, err, ended } = await printed(ONE, {
    output: 'matrix',
    kubeletVersion: ['1.30', '1.31', '1.32'],
    budget: 0.001,
  });
  expect(ended).toBe('1');
  expect(out.slice(2, 5).map((line) => line.split(/ {2,}/)[1])).toEqual([
    expect.stringMatching(/^(base|not run \[1\])$/),
    'not run [1]',
    'not run [1]',
  ]);
  expect(err.at(-1)).toMatch(/^--budget is used up: [23] runs were not begun$/);
});

test('--resume runs only the pairs that the file lacks, and prints the same', async () => {
  const resume = join(directory, 'matrix.json');
  let runs = 0;
  const backend: SimulateParts['backend'] = (...given) => {
    runs++;
    return simulationParts.backend(...given);
  };
  const matrix = (text: string, flags: Flags) =>
    printed(text, { output: 'matrix', resume, ...flags }, { backend }).then(({ out, ended }) => {
      const [begun, head = ''] = [runs, out[0]];
      runs = 0;
      return { begun, head, lines: out.slice(1), ended };
    });
  const two = await matrix(ONE, { kubeletVersion: ['1.30', '1.31'] });
  expect(two.begun).toBe(2);
  const kubeletVersion = ['1.30', '1.31', '1.35'];
  const all = await matrix(ONE, { kubeletVersion, budget: -1 });
  expect(all.lines[3]).toContain('not run');
  expect(all.begun).toBe(0);
  const rest = await matrix(ONE, { kubeletVersion });
  expect(rest.begun).toBe(1);
  expect(rest.lines).toEqual((await matrix(ONE, { kubeletVersion })).lines);
  expect(rest.lines).toEqual((await matrix(ONE, { kubeletVersion, resume: join(directory, 'other') })).lines);
  expect((await matrix(ONE, { kubeletVersion, seed: '2' })).begun).toBe(3);
  expect((await matrix(ONE.replace('40s', '41s'), { kubeletVersion })).begun).toBe(3);
  const unmet = `${ONE}\nexpect: { lastRow: [{ pod: web, status: Completed }] }`;
  expect((await matrix(unmet, { kubeletVersion })).ended).toBe('1');
  expect(await matrix(unmet, { kubeletVersion })).toMatchObject({ begun: 0, ended: '1' });
  expect(
    (await matrix(ONE, { upgrade: 'next', kubeletVersion: ['1.30', '1.31'], output: 'table' })).begun,
  ).toBe(2);
  const refused = await matrix(ONE, { kubeletVersion, output: 'events' });
  expect(refused.ended).toContain('--resume keeps the runs of --output matrix and of --upgrade');
  const { key, saved } = JSON.parse(await readFile(resume, 'utf8'));
  const [kept = ''] = Object.keys(saved.runs);
  for (const runs of [
    'text',
    { [kept]: 7 },
    { [kept]: { problems: 7 } },
    { [kept]: { problems: [], result: null } },
  ]) {
    await writeFile(resume, JSON.stringify({ key, saved: { runs } }));
    expect((await matrix(ONE, { kubeletVersion })).ended).toContain('is damaged');
  }
  await writeFile(resume, '{"key":"x","saved":{}}');
  expect((await matrix(ONE, { kubeletVersion })).ended).toContain('another version of Mockri');
});

test('of several kubelets, those that are not built are simulated and marked', async () => {
  const before = process.env.XDG_CACHE_HOME;
  process.env.XDG_CACHE_HOME = directory;
  try {
    const { out, err } = await printed(ONE, { output: 'matrix', kubelet: parseKubelets('1.31..1.32') });
    expect(out.slice(2, 4)).toEqual(['1.31 (thin)  base', '1.32 (thin)  same']);
    expect(err[0]).toMatch(
      /^--kubelet: 1\.31, 1\.32 not built for virtual time, so simulated \(thin\): "mockri/,
    );
    const old = await printed(ONE, { kubelet: parseKubelets('1.20,1.31') });
    expect(old.ended).toBe(
      '--kubelet: 1.20 is not built for virtual time, and only 1.28 to 1.37 are simulated',
    );
    expect((await printed(ONE, { kubelet: ['1.31'] })).ended).toContain('kubelet 1.31 is not built');
  } finally {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
  }
});

test('--kubelet is a program, a list or a range', () => {
  expect(parseKubelets('../kubelet')).toEqual(['../kubelet']);
  expect(parseKubelets('1.36,./kubelet')).toEqual(['1.36', './kubelet']);
  expect(parseKubelets('1.30..1.32')).toEqual(['1.30', '1.31', '1.32']);
  expect(() => parseKubelets('1.30..1.99')).toThrow('--kubelet: given "1.30..1.99"; expected versions from');
});

/** Answers as a kubelet that was built for virtual time. */
const ENDS = `#!/bin/sh
# MOCKRI_TIME_SEED
if [ "$1" = --version ]; then echo Kubernetes v1.37.2; else echo 'command failed' >&2; fi
`;

test('a kubelet program that ends at its start is no success', async ({ skip }) => {
  try {
    checkNamespaces();
  } catch {
    skip('this machine lets nobody make namespaces');
  }
  const kubelet = join(directory, 'kubelet');
  await writeFile(kubelet, ENDS);
  await chmod(kubelet, 0o755);
  const { file, err, ended } = await printed(SCENARIO.replace(/variants.*/, ''), { kubelet: [kubelet] });
  expect(ended).toBe('1');
  expect(err).toContain(`${file}, kubelet 1.37: no pod was ever run: the kubelet ended before`);
  expect(err.join('\n')).toMatch(/the kubelet exits at 0 s: exit code 0\n?.*command failed/s);
});

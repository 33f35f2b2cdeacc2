import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { checkNamespaces } from '../../../kubelet/hosts/virtual/namespaces.js';
import { simulationParts } from '../../../lab/scenario/simulation/simulation-parts.js';
import type { Flags } from './flags.js';
import { runScenarios } from './run-scenarios.js';

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
async function printed(text: string, flags: Flags) {
  const file = join(directory, 'x.yaml');
  await writeFile(file, text);
  const out: string[] = [];
  const err: string[] = [];
  const lines = { out: (line: string) => void out.push(line), err: (line: string) => void err.push(line) };
  const ended = await runScenarios([file], flags, simulationParts, lines).then(
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
  const { file, err, ended } = await printed(SCENARIO.replace(/variants.*/, ''), { kubelet });
  expect(ended).toBe('1');
  expect(err).toContain(`${file}, kubelet 1.37: no pod was ever run: the kubelet ended before`);
  expect(err.join('\n')).toMatch(/the kubelet exits at 0 s: exit code 0\n?.*command failed/s);
});

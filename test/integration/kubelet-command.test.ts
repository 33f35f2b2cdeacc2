import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { kubeletCommand } from '../../src/cli/commands/kubelet.js';
import { RunPodSandboxRequest } from '../../src/cri/gen/runtime/v1/api.js';
import { type Mockri, startMockri } from '../../src/testing/index.js';
import { eventually } from '../support/eventually.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { isThorough } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();
let directory: string;
let manifest: string;

const before = process.listenerCount('SIGINT');

beforeEach(() => {
  directory = temporary();
  manifest = join(directory, 'pod.yaml');
  writeFileSync(
    manifest,
    'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: app, image: busybox}]}\n',
  );
});

const options = (endpoint: string, more: Readonly<Record<string, string>> = {}): string[] =>
  Object.entries({
    '--container-runtime-endpoint': endpoint,
    '--pod-manifest-path': manifest,
    '--root-dir': join(directory, 'root'),
    '--pod-logs-dir': join(directory, 'logs'),
    ...more,
  }).flat();

const run = (args: readonly string[]) => kubeletCommand().parseAsync(args, { from: 'user' });

test('a port in use is reported, and nothing is left running', async () => {
  await using mockri = await startMockri();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '0.0.0.0', resolve));
  const port = String((other.address() as AddressInfo).port);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await expect(run(options(mockri.endpoint, { '--read-only-port': port }))).rejects.toThrow(
    `--read-only-port: cannot listen on 0.0.0.0:${port} (EADDRINUSE)`,
  );
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
  await eventually(() => mockri.connections).toBe(0);
  expect(mockri.calls({ method: 'RunPodSandbox' })).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});

test.each(['--root-dir', '--pod-logs-dir'])('%s that cannot be created is reported first', async (option) => {
  await expect(run(options('unix:///nowhere.sock', { [option]: join(manifest, 'x') }))).rejects.toThrow(
    `${option} ${manifest}/x: cannot create it (ENOTDIR); choose another directory`,
  );
});

test('a missing manifest path is refused before anything happens', async () => {
  await using mockri = await startMockri();
  const path = join(directory, 'nope');
  await expect(run(options(mockri.endpoint, { '--pod-manifest-path': path }))).rejects.toThrow(
    `--pod-manifest-path: no file or directory at ${path}`,
  );
  expect(mockri.calls()).toEqual([]);
});

test('Ctrl-C while it waits for a runtime ends it, and cleans up', async () => {
  const running = run(options(`unix://${join(directory, 'nobody.sock')}`));
  await eventually(() => process.listenerCount('SIGINT')).toBeGreaterThan(before);
  process.emit('SIGINT');
  await running;
  expect(process.listenerCount('SIGINT')).toBe(before);
});

test('two pods with the same name in two namespaces have their own rows', async () => {
  await using mockri = await startMockri();
  const pod = (namespace: string) =>
    `apiVersion: v1\nkind: Pod\nmetadata: {name: web, namespace: ${namespace}}\nspec: {containers: [{name: app, image: busybox, command: [sleep, "1000"]}]}\n`;
  const pods = join(directory, 'pods');
  mkdirSync(pods);
  for (const name of ['blue', 'red']) writeFileSync(join(pods, `${name}.yaml`), pod(name));
  const printed: string[] = [];
  const stdout = vi
    .spyOn(process.stdout, 'write')
    .mockImplementation((text) => printed.push(String(text)) > 0);
  const stderr = vi.spyOn(process.stderr, 'write').mockReturnValue(true);
  const tape = join(directory, 'run.tape');
  const running = run([
    ...options(mockri.endpoint, {
      '--record': tape,
      '--hostname-override': 'n',
      '--pod-manifest-path': pods,
    }),
    '--json',
  ]);
  const rows = () =>
    printed
      .join('')
      .split('\n')
      .filter((line) => line.includes('"ready":"1/1"'));
  await eventually(() => rows().length).toBe(2);
  process.emit('SIGTERM');
  await running;
  stdout.mockRestore();
  stderr.mockRestore();
  expect(
    rows()
      .map((line) => JSON.parse(line).pod)
      .sort(),
  ).toEqual(['blue/web-n', 'red/web-n']);
  const written = readFileSync(tape, 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  const named = (kind: string) => [
    ...new Set(written.filter((entry) => entry.kind === kind).map(({ pod: { namespace } }) => namespace)),
  ];
  expect(named('row').sort()).toEqual(['blue', 'red']);
  expect(named('event').sort()).toEqual(['blue', 'red']);
  expect(written.filter(({ kind }) => kind === 'kubelet').map(({ what }) => what)).toEqual([
    'started',
    'killed',
  ]);
});

describe('pods that no manifest names', () => {
  const orphaned = RunPodSandboxRequest.fromPartial({
    config: { metadata: { name: 'other', namespace: 'default', uid: 'other-1', attempt: 0 } },
  });
  const begin = async (mockri: Mockri, ...flags: string[]) => {
    const said: string[] = [];
    const stderr = vi
      .spyOn(process.stderr, 'write')
      .mockImplementation((text) => said.push(String(text)) > 0);
    const stdout = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const { podSandboxId } = await mockri.client.runPodSandbox(orphaned);
    const running = run([...options(mockri.endpoint), ...flags]);
    const end = async () => {
      process.emit('SIGTERM');
      await running;
      stderr.mockRestore();
      stdout.mockRestore();
    };
    return { podSandboxId, said, end };
  };

  test('are stopped after a message', async () => {
    await using mockri = await startMockri();
    const { podSandboxId, said, end } = await begin(mockri);
    await eventually(() => mockri.calls({ method: 'StopPodSandbox' }).length).toBeGreaterThan(0);
    await end();
    expect(said.join('')).toContain('stopping pod default/other (uid other-1)');
    expect(said.join('')).toContain(`no manifest in ${manifest} names it`);
    expect(mockri.calls({ method: 'StopPodSandbox' })[0]?.subject?.pod?.id).toBe(podSandboxId);
  });

  slow('stay with --keep-orphaned-pods', async () => {
    await using mockri = await startMockri();
    const { said, end } = await begin(mockri, '--keep-orphaned-pods');
    // The pod of the manifest runs and housekeeping has passed more than once.
    await eventually(() => mockri.calls({ method: 'ListPodSandbox' }).length).toBeGreaterThan(8);
    await end();
    expect(said.join('')).not.toContain('stopping pod');
    expect(mockri.calls({ method: 'StopPodSandbox' })).toEqual([]);
  });
});

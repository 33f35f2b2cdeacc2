import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import { kubeletCommand } from '../../src/cli/kubelet.js';
import { startMockri } from '../../src/testing/index.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();
let directory: string;
let manifest: string;

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

test('a port that is taken is told, and nothing is left running', async () => {
  await using mockri = await startMockri();
  const other = createServer();
  await new Promise<void>((resolve) => other.listen(0, '0.0.0.0', resolve));
  const port = String((other.address() as AddressInfo).port);
  const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
  await expect(run(options(mockri.endpoint, { '--read-only-port': port }))).rejects.toThrow(
    `--read-only-port: can't listen on 0.0.0.0:${port} (EADDRINUSE)`,
  );
  expect(printed).not.toHaveBeenCalled();
  printed.mockRestore();
  await vi.waitUntil(() => mockri.connections === 0);
  expect(mockri.calls({ method: 'RunPodSandbox' })).toEqual([]);
  await new Promise((resolve) => other.close(resolve));
});

test.each(['--root-dir', '--pod-logs-dir'])(
  '%s that can not be made is told before anything',
  async (option) => {
    await expect(run(options('unix:///nowhere.sock', { [option]: join(manifest, 'x') }))).rejects.toThrow(
      `${option} ${manifest}/x: it can't be made (ENOTDIR); choose another`,
    );
  },
);

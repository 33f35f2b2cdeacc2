import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { type NodeProcesses, startNode } from '../../support/kubelet/processes.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();
let node: NodeProcesses | undefined;
afterEach(() => node?.end());

const container = (name: string, script: string, mount: object) => ({
  name,
  image: 'busybox:1',
  command: ['sh', '-c', script],
  volumeMounts: [{ name: 'files', mountPath: '/files', ...mount }],
});

/** A static pod whose init container makes a link to a directory that the pod was not given. */
const pod = (volume: object, outside: string) => ({
  restartPolicy: 'Never',
  volumes: [{ name: 'files', ...volume }],
  initContainers: [container('plant', `ln -s ${outside} /files/way`, {})],
  containers: [container('reader', 'cat /files/secret; echo x > /files/planted', { subPath: 'way' })],
});

it.each([
  ['an emptyDir', () => ({ emptyDir: {} })],
  ['a hostPath', (given: string) => ({ hostPath: { path: given } })],
])('a static pod reads and writes nothing outside %s', async (_, volume) => {
  const [directory, outside, given] = [temporary(), temporary(), temporary()];
  writeFileSync(join(outside, 'secret'), 'secret');
  node = await startNode(directory);
  node.putManifest('escape', pod(volume(given), outside));
  node.startKubelet();
  const failed = () => node?.events.find((line) => line.includes('failed to prepare subPath'));
  const started = () => node?.seen.includes('STARTED escape/reader 0');
  await node.until(() => failed() !== undefined || started() === true);
  expect(started()).toBe(false);
  expect(failed()).toContain(
    'failed to prepare subPath for volumeMount "files" of container "reader": "way": it leads out of its directory',
  );
  expect(readdirSync(outside)).toEqual(['secret']);
});

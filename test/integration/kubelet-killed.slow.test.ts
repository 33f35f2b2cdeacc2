import { afterEach, expect, test } from 'vitest';
import { ContainerState } from '../../src/cri/gen/runtime/v1/api.js';
import { type NodeProcesses, startNode } from '../support/kubelet/processes.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const temporary = useTemporaryDirectories();
const nodes: NodeProcesses[] = [];
afterEach(() => {
  for (const node of nodes.splice(0)) node.end();
});

const IMAGE = 'busybox:1';
const container = (name: string, command: readonly string[], more: object = {}) => ({
  name,
  image: IMAGE,
  command,
  ...more,
});
const FOREVER = ['sleep', '100000'];
const pod = (main: object = container('main', FOREVER)) => ({ containers: [main] });

/** Pods that are all in transition some seconds after their start. */
const PODS = {
  init: {
    ...pod(),
    initContainers: [container('first', ['sleep', '3']), container('second', ['sleep', '1'])],
  },
  sidecar: {
    ...pod(),
    initContainers: [
      container('proxy', FOREVER, {
        restartPolicy: 'Always',
        startupProbe: { exec: { command: ['true'] }, periodSeconds: 1 },
      }),
    ],
  },
  hook: pod(
    container('main', FOREVER, {
      lifecycle: { postStart: { exec: { command: ['sh', '-c', 'echo began >>/hook; sleep 100'] } } },
    }),
  ),
  crash: pod(container('main', ['false'])),
  orphan: { ...pod(), terminationGracePeriodSeconds: 1 },
};

test('a killed kubelet continues its work after a restart, and starts nothing twice', async () => {
  const node = await startNode(temporary());
  nodes.push(node);

  node.putManifest('cut', pod());
  const first = node.startKubelet();
  await node.until(() => node.seen.includes('CREATED cut/main 0'));
  await first.kill();

  for (const [name, spec] of Object.entries(PODS)) node.putManifest(name, spec);
  const second = node.startKubelet();
  const under = [
    'STARTED init/first 0',
    'STARTED sidecar/proxy 0',
    'STARTED hook/main 0',
    'STARTED orphan/main 0',
  ];
  await node.until(() => [...under, 'STOPPED crash/main 1'].every((what) => node.seen.includes(what)));
  await second.kill();

  node.removeManifest('orphan');
  const before = node.events.length;
  node.startKubelet();
  // The back-off was in the memory of the killed kubelet: the first start is immediate, the next after 10 s.
  const backsOff = (line: string) =>
    line.includes('Back-off restarting failed container main in pod crash-node');
  await node.until(
    () => node.seen.includes('STOPPED crash/main 2') && node.events.slice(before).some(backsOff),
  );
  expect(node.seen).not.toContain('CREATED crash/main 3');
  const after = ['STARTED init/main 0', 'STARTED sidecar/main 0', 'STOPPED orphan'];
  await node.until(() => after.every((what) => node.seen.includes(what)));

  expect(startedTwice(node.seen)).toEqual([]);
  expect(await hooksBegun(node)).toBe('began\n');
  expect(await running(node)).toEqual([
    // A container that was created but not started is replaced by another one.
    expect.stringMatching(/^cut\/main [01]$/),
    'hook/main 0',
    'init/main 0',
    'sidecar/main 0',
    'sidecar/proxy 0',
  ]);
});

/** Containers started while another of the same name ran, and pods with a second sandbox. */
function startedTwice(seen: readonly string[]): string[] {
  const running = new Set<string>();
  return seen.flatMap((text) => {
    const [what, name = ''] = text.split(' ');
    const isSecond = what === 'STARTED' && running.has(name);
    if (what === 'STARTED') running.add(name);
    if (what === 'STOPPED') running.delete(name);
    return isSecond ? [name] : [];
  });
}

async function hooksBegun({ cri }: NodeProcesses): Promise<string> {
  const { containers } = await cri.listContainers({
    filter: { labelSelector: { 'io.kubernetes.pod.name': 'hook-node' } },
  });
  const { stdout } = await cri.execSync({ containerId: containers[0]?.id ?? '', cmd: ['cat', '/hook'] });
  return Buffer.from(stdout).toString();
}

async function running({ cri }: NodeProcesses): Promise<string[]> {
  const { containers } = await cri.listContainers({
    filter: { state: { state: ContainerState.CONTAINER_RUNNING } },
  });
  const nameOf = ({ metadata, labels }: (typeof containers)[number]) =>
    `${labels['io.kubernetes.pod.name']?.replace(/-node$/, '')}/${metadata?.name} ${metadata?.attempt}`;
  return containers.map(nameOf).sort();
}

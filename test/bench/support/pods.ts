import type { CriClient } from '../../../src/cri/client/client.js';

export const IMAGE = 'registry.k8s.io/e2e-test-images/busybox:1.29-2';

/** Labels and annotations like the kubelet's, for a realistic size. */
function labels(name: string): Record<string, string> {
  return {
    'io.kubernetes.pod.name': name,
    'io.kubernetes.pod.namespace': 'default',
    'io.kubernetes.pod.uid': `${name}-uid`,
  };
}

const sandboxConfig = (name: string) => ({
  metadata: { name, namespace: 'default', uid: `${name}-uid`, attempt: 0 },
  hostname: name,
  labels: labels(name),
  annotations: { 'kubernetes.io/config.source': 'api' },
});

/** Runs a pod with one sleeping container. */
export async function startPod(cri: CriClient, name: string) {
  const config = sandboxConfig(name);
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: {
      metadata: { name: 'app', attempt: 0 },
      image: { image: IMAGE },
      command: ['sleep', '1000000'],
      labels: { ...labels(name), 'io.kubernetes.container.name': 'app' },
      annotations: {
        'io.kubernetes.container.hash': '5d2c3a1b',
        'io.kubernetes.container.restartCount': '0',
      },
    },
    sandboxConfig: config,
  });
  await cri.startContainer({ containerId });
  return { podSandboxId, containerId };
}

/** Whole life of a pod: seven RPCs, from RunPodSandbox to RemovePodSandbox. */
export async function livePod(cri: CriClient, name: string): Promise<void> {
  const { podSandboxId, containerId } = await startPod(cri, name);
  await cri.stopContainer({ containerId, timeout: 0n });
  await cri.removeContainer({ containerId });
  await cri.stopPodSandbox({ podSandboxId });
  await cri.removePodSandbox({ podSandboxId });
}

/** Runs `task` with 0, 1, … `count - 1`, `width` in parallel. */
export async function inParallel(count: number, width: number, task: (index: number) => Promise<unknown>) {
  let next = 0;
  const lane = async () => {
    while (next < count) await task(next++);
  };
  await Promise.all(Array.from({ length: width }, lane));
}

import { connectCri } from '../../../src/cri/client/connect.js';
import { ImageSpec } from '../../../src/cri/gen/runtime/v1/api.js';
import { containerConfig, podConfig } from '../../support/tape/recorded-run.js';

/** A process that ignores TERM, so that a stop takes its whole grace period. */
const STUBBORN = ['sh', '-c', 'trap "" TERM; while true; do sleep 0.05; done'];

/**
 * A kubelet with events creates two pods, one after the other, whatever the runtime replies: it pulls, starts, checks,
 * stops and removes.
 */
export async function livePods(endpoint: string): Promise<void> {
  const cri = connectCri(endpoint);
  const stop = new AbortController();
  const events = readAll(cri.getContainerEvents({}, { signal: stop.signal }));
  try {
    for (const name of ['first', 'second', 'third']) await livePod(cri, name).catch(() => {});
  } finally {
    stop.abort();
    await events;
    cri.close();
  }
}

async function livePod(cri: ReturnType<typeof connectCri>, name: string): Promise<void> {
  const sandboxConfig = podConfig(name);
  const image = ImageSpec.fromPartial({ image: 'busybox:1.36' });
  await cri.pullImage({ image, sandboxConfig });
  await cri.imageStatus({ image });
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
  const config = containerConfig('app', { command: STUBBORN });
  const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
  await cri.startContainer({ containerId });
  await cri.podSandboxStats({ podSandboxId }).catch(() => {});
  await cri.containerStatus({ containerId });
  await cri.listContainers({});
  await cri.stopContainer({ containerId, timeout: name === 'first' ? 0n : 1n });
  await cri.containerStatus({ containerId });
  await cri.listContainers({});
  await cri.stopPodSandbox({ podSandboxId });
  await cri.podSandboxStatus({ podSandboxId });
  await cri.removeContainer({ containerId });
  await cri.removePodSandbox({ podSandboxId });
  await cri.listPodSandbox({});
}

async function readAll(messages: AsyncIterable<unknown>): Promise<void> {
  try {
    for await (const _ of messages);
  } catch {
    // The client leaves, or the runtime has no events.
  }
}

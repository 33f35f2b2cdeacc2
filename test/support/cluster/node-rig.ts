import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createRandom } from '../../../src/base/random/random.js';
import type { ClusterNode } from '../../../src/cluster/node/cluster-node.js';
import { type NodeParts, openNode } from '../../../src/cluster/node/open-node.js';
import { noFiles } from '../../../src/kubelet/disk/files.js';
import { kubeletSettings } from '../../../src/kubelet/hosts/settings.js';
import type { Pod } from '../../../src/kubelet/kubernetes/pod.js';
import type { KubeEvent } from '../../../src/kubelet/types/ports.js';

/** A node `mock-1` in virtual time, without files and without an API server. */
export interface NodeRig {
  readonly clock: VirtualClock;
  readonly node: ClusterNode;
  readonly events: readonly KubeEvent[];
  /** Starts the kubelet, and gives it 20 s. */
  begin(): Promise<void>;
  /** Replaces the node's pods. */
  deliver(pods: readonly Pod[]): void;
  close(): Promise<void>;
}

/** A node whose kubelet runs these pods, in containers with these settings. */
export async function startNode(
  podsAt: (now: bigint) => readonly Pod[],
  memory: NodeParts['memory'] = {},
  runtimeProfile?: NodeParts['runtimeProfile'],
): Promise<NodeRig> {
  const clock = createVirtualClock();
  const events: KubeEvent[] = [];
  let pods = podsAt(clock.now());
  let receive: (pods: readonly Pod[]) => void = () => {};
  const node = await openNode({
    name: 'mock-1',
    memory,
    runtimeProfile,
    clock,
    random: createRandom(1),
    settings: kubeletSettings(),
    files: noFiles,
    podSource: {
      start: (receiver) => {
        receive = receiver;
        receiver(pods);
        return () => {};
      },
    },
    eventSink: { event: (event) => events.push(event) },
  });
  const begin = async () => {
    const started = clock.run(node.startKubelet);
    await clock.advance(20_000);
    await started;
  };
  await begin();
  return {
    clock,
    node,
    events,
    begin,
    deliver: (given) => {
      pods = given;
      receive(pods);
    },
    close: async () => {
      await Promise.all([node.close(), clock.advance(60_000)]);
    },
  };
}

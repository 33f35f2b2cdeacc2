import { NamespaceMode } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Backend } from '../../../src/runtime/engine/backend.js';
import type { MemoryNode } from '../node.js';
import { sandboxUsage } from '../usage/usage.js';
import { forward } from './network.js';
import { MemoryPod } from './pod.js';

type SandboxOperations = Pick<
  Backend,
  'runSandbox' | 'stopSandbox' | 'removeSandbox' | 'portForward' | 'sandboxUsage' | 'inspectSandbox'
>;

export function sandboxOperations(node: MemoryNode): SandboxOperations {
  const { addresses, network, pods } = node;
  return {
    runSandbox: async (spec) => {
      const isHost = spec.config.linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE;
      const pod = new MemoryPod(node, spec, isHost ? undefined : addresses.take());
      pods.set(spec.id, pod);
      return { ips: pod.ips };
    },
    stopSandbox: async (id) => {
      const pod = node.readyPod(id);
      if (pod === undefined) return;
      pod.ready = false;
      if (pod.ip !== undefined) addresses.release(pod.ip);
    },
    removeSandbox: async (id) => void pods.delete(id),
    portForward: (id, port, connection, { signal }) =>
      forward(network, node.pod(id).ip, port, connection, signal),
    sandboxUsage: async (ids) => {
      const ready = ids.flatMap((id) => node.readyPod(id) ?? []);
      return new Map(ready.map((pod) => [pod.id, sandboxUsage(pod.usage(), pod.processes)]));
    },
    inspectSandbox: async (id) => ({ pid: node.pod(id).hostPid, runtimeType: 'memory' }),
  };
}

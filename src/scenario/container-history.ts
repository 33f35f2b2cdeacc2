import type { Backend, BackendHost, ContainerSpec } from '../engine/backend.js';
import type { ContainerLife } from './run-writer.js';

/** A backend that reports when its containers start and end. */
export function withContainerHistory(backend: Backend, report: (life: ContainerLife) => void): Backend {
  const specs = new Map<string, ContainerSpec>();
  const reportLife = (id: string, life: Pick<ContainerLife, 'what' | 'exitCode' | 'reason'>) => {
    const config = specs.get(id)?.config;
    if (config === undefined) return;
    const { name = '', attempt = 0 } = config.metadata ?? {};
    report({ pod: podOf(config.labels), container: { name, attempt }, ...life });
  };
  const listening = (host: BackendHost): BackendHost => ({
    ...host,
    containerExited: (exit) => {
      const { containerId, exitCode, reason } = exit;
      reportLife(containerId, { what: 'ended', exitCode, ...(reason !== undefined && { reason }) });
      host.containerExited(exit);
    },
  });
  return {
    ...backend,
    open: (host) => backend.open(listening(host)),
    createContainer: async (spec, call) => {
      const made = await backend.createContainer(spec, call);
      specs.set(spec.id, spec);
      return made;
    },
    startContainer: async (id, call) => {
      await backend.startContainer(id, call);
      reportLife(id, { what: 'started' });
    },
    removeContainer: async (id, call) => {
      await backend.removeContainer(id, call);
      specs.delete(id);
    },
  };
}

const podOf = (labels: Readonly<Record<string, string>>) => ({
  name: labels['io.kubernetes.pod.name'] ?? '',
  namespace: labels['io.kubernetes.pod.namespace'] ?? 'default',
  uid: labels['io.kubernetes.pod.uid'] ?? '',
});

import type { ServiceAddress } from '../../kubelet/kube-objects.js';
import type { ApiObject } from '../api/watch-objects.js';

/** The fields of v1.Service that a node reads. */
export interface ApiService extends ApiObject {
  readonly spec?: {
    readonly clusterIP?: string;
    readonly ports?: readonly {
      readonly name?: string;
      readonly port: number;
      readonly protocol?: string;
    }[];
  };
}

/** The services of the cluster, for variables. */
export interface Services {
  listed(all: readonly ApiService[]): void;
  changed(service: ApiService): void;
  removed(service: ApiService): void;
  /** Resolves with the first list. */
  readonly read: Promise<void>;
  /** Those of a namespace that have an address; undefined before the first list. */
  in(namespace: string): readonly ServiceAddress[] | undefined;
}

/** Has read none. */
export function createServices(): Services {
  const byNamespace = new Map<string, Map<string, ServiceAddress>>();
  let isRead = false;
  let firstList = () => {};
  const read = new Promise<void>((resolve) => {
    firstList = resolve;
  });

  const removed = ({ metadata: { namespace = '', name } }: ApiService): void => {
    byNamespace.get(namespace)?.delete(name);
  };
  const changed = (service: ApiService): void => {
    const { namespace = '', name } = service.metadata;
    const { clusterIP = '', ports = [] } = service.spec ?? {};
    // IsServiceIPSet
    if (clusterIP === '' || clusterIP === 'None') {
      removed(service);
      return;
    }
    const own = byNamespace.get(namespace) ?? new Map<string, ServiceAddress>();
    const shown = ports.map((port) => ({
      name: port.name,
      port: port.port,
      protocol: port.protocol ?? 'TCP',
    }));
    byNamespace.set(namespace, own.set(name, { name, clusterIP, ports: shown }));
  };
  return {
    read,
    changed,
    removed,
    listed: (all) => {
      byNamespace.clear();
      all.forEach(changed);
      isRead = true;
      firstList();
    },
    in: (namespace) => (isRead ? [...(byNamespace.get(namespace)?.values() ?? [])] : undefined),
  };
}

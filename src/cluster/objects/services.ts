import type { Route } from '../../base/network/network.js';
import { createServices, type PodServices, type ShownPod } from '../../kubelet/hosts/services.js';
import type { KubeObjects } from '../../kubelet/index.js';
import { type Service, serviceSchema } from '../../kubelet/kubernetes/services.js';
import type { ApiObject } from '../api/watch-objects.js';
import { toClusterAddress } from './pod-address.js';

/** v1.Service from the API server, before validation. */
export interface ApiService extends ApiObject {
  readonly spec?: object;
}

/** Services of the cluster, for variables, and as names that lead to the pods of this process. */
export interface ClusterServices extends PodServices {
  listed(all: readonly ApiService[]): void;
  changed(service: ApiService): void;
  removed(service: ApiService): void;
  /** Resolves with the first list. */
  readonly read: Promise<void>;
  /** Services of a namespace that have an address; undefined before the first list. */
  readonly in: KubeObjects['services'];
}

/** `shown`: the pods of a namespace that this process runs. */
export function createClusterServices(
  shown: (namespace: string) => readonly ShownPod[],
  elsewhere: (service: Service) => Promise<Route>,
): ClusterServices {
  const known = new Map<string, Service>();
  let objects: readonly Service[] = [];
  let isRead = false;
  let firstList = () => {};
  const read = new Promise<void>((resolve) => {
    firstList = resolve;
  });
  const keyOf = ({ metadata }: ApiService): string => `${metadata.namespace}/${metadata.name}`;
  const take = (service: ApiService): void => {
    // List items have neither.
    const { data } = serviceSchema.safeParse({ ...service, apiVersion: 'v1', kind: 'Service' });
    if (data === undefined) known.delete(keyOf(service));
    else known.set(keyOf(service), data);
  };
  const updated = (): void => {
    objects = [...known.values()];
  };
  const services = createServices(() => objects, shown, elsewhere);
  return {
    ...services,
    // Returns addresses as kubectl shows them.
    resolve: (name, namespace) => services.resolve(name, namespace).map(toClusterAddress),
    read,
    changed: (service) => {
      take(service);
      updated();
    },
    removed: (service) => {
      known.delete(keyOf(service));
      updated();
    },
    listed: (all) => {
      known.clear();
      all.forEach(take);
      updated();
      isRead = true;
      firstList();
    },
    in: (namespace) => (isRead ? services.addresses(namespace) : undefined),
  };
}

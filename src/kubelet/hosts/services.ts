import { NODE } from '../../base/clock/network/loopback.js';
import type { Route, Services } from '../../base/network/network.js';
import type { ServiceAddress } from '../kube-objects.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import {
  findService,
  isHeadless,
  leadsToPods,
  portsLedTo,
  type Service,
  selects,
  targetPort,
} from '../kubernetes/services.js';
import { isTerminal } from '../status/phase.js';

export interface ShownPod {
  readonly pod: Pod;
  readonly status: PodApiStatus;
}

/** Services, as the cluster's DNS, kube-proxy and the kubelet know them. */
export interface PodServices extends Services {
  portsOf(pod: Pod): readonly number[];
  addresses(namespace: string): readonly ServiceAddress[];
}

/** Reads Services on each use. Each routes to its pods that are Ready now, or to `elsewhere` if none is. */
export function createServices(
  objects: () => readonly Service[],
  shown: (namespace: string) => readonly ShownPod[],
  elsewhere: (service: Service) => Route | Promise<Route> = () => 'refused',
): PodServices {
  const turns = new Map<string, number>();
  let known = indexed(objects());
  const now = () => {
    const all = objects();
    if (all !== known.objects) known = indexed(all);
    return known;
  };
  const behind = (service: Service) =>
    shown(service.metadata.namespace).flatMap(({ pod, status }) => {
      const [ip] = pod.spec.hostNetwork ? [NODE] : status.podIPs;
      return ip !== undefined && isEndpoint(service, pod, status) ? [{ ip, spec: pod.spec }] : [];
    });
  return {
    addresses: (namespace) => {
      const { services, addresses } = now();
      return services.flatMap((service) => {
        const clusterIP = addresses.get(service);
        const { name, namespace: own } = service.metadata;
        return clusterIP === undefined || own !== namespace
          ? []
          : [{ name, clusterIP, ports: service.spec.ports }];
      });
    },
    portsOf: ({ metadata, spec }) => portsLedTo(now().services, metadata, spec.containers),
    has: (name, namespace) => {
      const { services, byAddress } = now();
      // Variables such as DB_SERVICE_HOST have the address.
      const service = byAddress.get(name) ?? findService(services, name, namespace)?.service;
      return service !== undefined && leadsToPods(service);
    },
    resolve: (name, namespace) => {
      const { services, addresses } = now();
      const { service, host } = findService(services, name, namespace) ?? {};
      if (service === undefined) return [];
      const own = addresses.get(service);
      if (own !== undefined) return [own];
      return behind(service).flatMap(({ ip, spec: { hostname, subdomain } }) =>
        host === undefined || (hostname === host && subdomain === service.metadata.name) ? [ip] : [],
      );
    },
    route: (address, port) => {
      const service = now().byAddress.get(address);
      if (service === undefined) return undefined;
      const own = service.spec.ports.find((each) => each.port === port && each.protocol === 'TCP');
      const places = behind(service).flatMap(({ ip, spec }) => {
        const to = own && targetPort(own, spec.containers);
        return to === undefined ? [] : [{ address: ip, port: to }];
      });
      // Round robin; kube-proxy chooses at random.
      const turn = turns.get(address) ?? 0;
      turns.set(address, turn + 1);
      return places[turn % places.length] ?? elsewhere(service);
    },
  };
}

interface Known {
  readonly objects: readonly Service[];
  readonly services: readonly Service[];
  readonly addresses: ReadonlyMap<Service, string>;
  readonly byAddress: ReadonlyMap<string, Service>;
}

function indexed(objects: readonly Service[]): Known {
  const services = [...new Map(objects.map((each) => [keyOf(each), each])).values()];
  const addresses = addressesOf(services);
  const byAddress = new Map([...addresses].map(([service, address]) => [address, service]));
  return { objects, services, addresses, byAddress };
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`;

/** The object's cluster IP, as in every real cluster, or the next address of kubeadm's Service range. */
function addressesOf(services: readonly Service[]): ReadonlyMap<Service, string> {
  const found = new Map<Service, string>();
  const taken = new Set<string>();
  for (const service of services) {
    const { clusterIP = '' } = service.spec;
    if (clusterIP === '' || isHeadless(service) || taken.has(clusterIP)) continue;
    found.set(service, clusterIP);
    taken.add(clusterIP);
  }
  let next = FIRST;
  for (const service of services) {
    if (found.has(service) || isHeadless(service) || service.spec.type === 'ExternalName') continue;
    while (taken.has(clusterAddress(next))) next++;
    found.set(service, clusterAddress(next++));
  }
  return found;
}

/** The first address after the cluster's own: `kubernetes`, and `kube-dns` at 10. */
const FIRST = 256;

const clusterAddress = (index: number): string => `10.96.${index >> 8}.${index & 0xff}`;

/** Whether the pod receives connections of a Service (endpointslice podToEndpoint, ShouldPodBeInEndpoints). */
function isEndpoint(service: Service, { metadata }: Pod, status: PodApiStatus): boolean {
  if (!selects(service, metadata) || isTerminal(status.phase)) return false;
  if (service.spec.publishNotReadyAddresses) return true;
  const isReady = status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return isReady && metadata.deletionTimestamp === undefined;
}

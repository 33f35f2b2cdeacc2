import { NODE } from '../../../base/clock/network/loopback.js';
import type { Services } from '../../../base/network/network.js';
import type { ServiceAddress } from '../../../kubelet/kube-objects.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import {
  findService,
  isHeadless,
  type Service,
  selects,
  targetPort,
} from '../../../kubelet/kubernetes/services.js';
import { isTerminal } from '../../../kubelet/status/phase.js';

/** A pod, and the status that the API shows of it. */
export interface ShownPod {
  readonly pod: Pod;
  readonly status: PodApiStatus;
}

/** The Services of a scenario: what the cluster's DNS, kube-proxy and the kubelet know of them. */
export interface ScenarioServices extends Services {
  /** Those of a namespace that have their own address. */
  addresses(namespace: string): readonly ServiceAddress[];
}

/** Makes the Services of a scenario. Each leads to those of the pods that are Ready at that moment. */
export function createServices(
  objects: readonly Service[],
  shown: () => readonly ShownPod[],
): ScenarioServices {
  const services = [...new Map(objects.map((each) => [keyOf(each), each])).values()];
  const addresses = addressesOf(services);
  const turns = new Map<Service, number>();
  const behind = (service: Service) =>
    shown().flatMap(({ pod, status }) => {
      const [ip] = pod.spec.hostNetwork ? [NODE] : status.podIPs;
      return ip !== undefined && isEndpoint(service, pod, status) ? [{ ip, spec: pod.spec }] : [];
    });
  return {
    addresses: (namespace) =>
      services.flatMap((service) => {
        const clusterIP = addresses.get(service);
        const { name, namespace: own } = service.metadata;
        return clusterIP === undefined || own !== namespace
          ? []
          : [{ name, clusterIP, ports: service.spec.ports }];
      }),
    resolve: (name, namespace) => {
      const { service, host } = findService(services, name, namespace) ?? {};
      if (service === undefined) return [];
      const own = addresses.get(service);
      if (own !== undefined) return [own];
      return behind(service).flatMap(({ ip, spec: { hostname, subdomain } }) =>
        host === undefined || (hostname === host && subdomain === service.metadata.name) ? [ip] : [],
      );
    },
    route: (address, port) => {
      const service = services.find((each) => addresses.get(each) === address);
      if (service === undefined) return undefined;
      const own = service.spec.ports.find((each) => each.port === port && each.protocol === 'TCP');
      const places = behind(service).flatMap(({ ip, spec }) => {
        const to = own && targetPort(own, spec.containers);
        return to === undefined ? [] : [{ address: ip, port: to }];
      });
      // In turn: kube-proxy chooses at random.
      const turn = turns.get(service) ?? 0;
      turns.set(service, turn + 1);
      return places[turn % places.length] ?? 'refused';
    },
  };
}

const keyOf = ({ metadata }: Service): string => `${metadata.namespace}/${metadata.name}`;

/** The one that its object says, or the next of the range that kubeadm gives to Services. */
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

/** Behind those that a cluster has itself: `kubernetes`, and `kube-dns` at 10. */
const FIRST = 256;

const clusterAddress = (index: number): string => `10.96.${index >> 8}.${index & 0xff}`;

/** Whether the pod gets connections of a Service (endpointslice podToEndpoint, ShouldPodBeInEndpoints). */
function isEndpoint(service: Service, { metadata }: Pod, status: PodApiStatus): boolean {
  if (!selects(service, metadata) || isTerminal(status.phase)) return false;
  if (service.spec.publishNotReadyAddresses) return true;
  const isReady = status.conditions.some(({ type, status: value }) => type === 'Ready' && value === 'True');
  return isReady && metadata.deletionTimestamp === undefined;
}

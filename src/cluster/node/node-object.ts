import { createHash } from 'node:crypto';
import type { NodeReady } from '../../kubelet/index.js';
import { toTime } from '../../kubelet/kubernetes/time.js';
import type { ApiObject } from '../api/watch-objects.js';
import type { NodeSettings } from './node-settings.js';

export interface NodeCondition {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason?: string;
  readonly message?: string;
  readonly lastHeartbeatTime?: string | null;
  readonly lastTransitionTime?: string | null;
}

/** The fields of v1.Node that a node reads. */
export interface ApiNode extends ApiObject {
  readonly metadata: ApiObject['metadata'] & {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: {
    readonly podCIDR?: string;
    readonly unschedulable?: boolean;
    readonly taints?: readonly { readonly key: string; readonly value?: string; readonly effect: string }[];
  };
  readonly status?: {
    readonly conditions?: readonly NodeCondition[];
    readonly nodeInfo?: { readonly bootID?: string };
  };
}

export interface NodeFacts {
  readonly name: string;
  readonly settings: NodeSettings;
  readonly ready: NodeReady;
  /** For example `mockri://0.1.0`. */
  readonly runtimeVersion: string;
  readonly features: readonly string[];
  readonly bootId: string;
  /** Unix nanoseconds. */
  readonly now: bigint;
}

/** The object that a kubelet registers (kubelet_node_status.go initialNode). */
export function nodeObject(facts: NodeFacts): object {
  const { name, settings } = facts;
  const { architecture, labels, annotations, taints, providerID } = settings;
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name,
      labels: { ...defaultLabels(name, architecture), ...labels },
      annotations: { 'volumes.kubernetes.io/controller-managed-attach-detach': 'true', ...annotations },
    },
    spec: {
      ...(taints.length > 0 && { taints }),
      ...(providerID !== undefined && { providerID }),
    },
    status: nodeStatus(facts, []),
  };
}

/** Labels that every kubelet sets. */
export const defaultLabels = (name: string, architecture: string): Readonly<Record<string, string>> => ({
  'beta.kubernetes.io/arch': architecture,
  'beta.kubernetes.io/os': 'linux',
  'kubernetes.io/arch': architecture,
  'kubernetes.io/hostname': name,
  'kubernetes.io/os': 'linux',
});

/** v1.NodeStatus (setters of pkg/kubelet/nodestatus); `before` holds the API server's conditions. */
export function nodeStatus(facts: NodeFacts, before: readonly NodeCondition[]): object {
  const { name, settings, runtimeVersion, bootId, features } = facts;
  const { capacity, allocatable, ip, port, kubeletVersion, osImage, kernelVersion, architecture } = settings;
  return {
    addresses: [
      { type: 'InternalIP', address: ip },
      ...(settings.withoutHostname ? [] : [{ type: 'Hostname', address: name }]),
    ],
    capacity,
    allocatable: { ...capacity, ...allocatable },
    conditions: conditions(facts, before),
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
    nodeInfo: {
      machineID: idOf(name, 'machine').replaceAll('-', ''),
      systemUUID: idOf(name, 'system'),
      bootID: bootId,
      kernelVersion,
      osImage,
      containerRuntimeVersion: runtimeVersion,
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: 'linux',
      architecture,
    },
    ...(features.length > 0 && { declaredFeatures: features }),
  };
}

/** In the kubelet's order; Ready is the last. */
export function conditions(
  { ready, now }: Pick<NodeFacts, 'ready' | 'now'>,
  before: readonly NodeCondition[],
): NodeCondition[] {
  const time = toTime(now);
  const made = [
    ...HEALTHY.map((condition) => ({ ...condition, status: 'False' as const })),
    { type: 'Ready', status: ready.status, reason: ready.reason, message: ready.message },
  ];
  return made.map((condition) => {
    const old = before.find(({ type }) => type === condition.type);
    const since = old?.status === condition.status ? old.lastTransitionTime : undefined;
    return { ...condition, lastHeartbeatTime: time, lastTransitionTime: since ?? time };
  });
}

/** The simulated machine has enough of everything. */
const HEALTHY = [
  {
    type: 'MemoryPressure',
    reason: 'KubeletHasSufficientMemory',
    message: 'kubelet has sufficient memory available',
  },
  { type: 'DiskPressure', reason: 'KubeletHasNoDiskPressure', message: 'kubelet has no disk pressure' },
  { type: 'PIDPressure', reason: 'KubeletHasSufficientPID', message: 'kubelet has sufficient PID available' },
];

/** A UUID derived from the node's name, so that the same node is the same machine after a restart. */
export function idOf(name: string, what: string): string {
  const hex = createHash('sha256').update(`${what}/${name}`).digest('hex');
  return hex.slice(0, 32).replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

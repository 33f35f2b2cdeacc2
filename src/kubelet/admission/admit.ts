import type { NodeSelectorTerm, SelectorRequirement, Toleration } from '../kubernetes/placement.js';
import type { Pod } from '../kubernetes/pod.js';
import { amountsOf, podRequests, sumOfRequests } from '../resources/requests.js';
import type { KubeletVersion } from '../types/version.js';
import type { AdmittingNode } from './admitting-node.js';
import type { Rejection } from './rejection.js';
import { forbiddenSysctl } from './sysctls.js';

/**
 * The kubelet's admission predicates (lifecycle/predicate.go). A pod that sets nodeName bypasses the scheduler, so the
 * node checks again. Critical pods preempt nothing here.
 */
export function admit(
  pod: Pod,
  others: readonly Pod[],
  node: AdmittingNode,
  { minor }: Pick<KubeletVersion, 'minor'>,
): Rejection | undefined {
  return (
    forbiddenSysctl(pod, minor) ??
    otherSystem(pod) ??
    lackOf(pod, others, node) ??
    (fitsNode(pod, node)
      ? undefined
      : failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector")) ??
    (takenPorts(pod, others)
      ? failed('NodePorts', "node(s) didn't have free ports for the requested pod ports")
      : undefined) ??
    (isTolerant(pod, node, ['NoExecute'])
      ? undefined
      : failed('TaintToleration', "node(s) had taints that the pod didn't tolerate"))
  );
}

/** Why kube-scheduler would not bind the pod to the node, in its words; undefined if it would. */
export function misfit(pod: Pod, others: readonly Pod[], node: AdmittingNode): string | undefined {
  if (!isTolerant(pod, node, ['NoSchedule', 'NoExecute'])) return 'node(s) had untolerated taint(s)';
  if (!fitsNode(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  if (takenPorts(pod, others)) return "node(s) didn't have free ports for the requested pod ports";
  const lack = lackOf(pod, others, node)?.reason.slice('OutOf'.length);
  return lack && (lack === 'pods' ? 'Too many pods' : `Insufficient ${lack}`);
}

/** GetRequiredNodeAffinity (component-helpers scheduling/corev1): node selector and one of the required terms. */
function fitsNode({ spec }: Pod, node: AdmittingNode): boolean {
  const { nodeSelector = {}, affinity } = spec;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (Object.entries(nodeSelector).some(([key, value]) => node.labels[key] !== value)) return false;
  return required === undefined || required.nodeSelectorTerms.some((term) => fitsTerm(term, node));
}

/** A term without requirements matches no node. */
function fitsTerm(
  { matchExpressions, matchFields }: NodeSelectorTerm,
  { name, labels }: AdmittingNode,
): boolean {
  if (matchExpressions.length + matchFields.length === 0) return false;
  const known: Readonly<Record<string, string>> = { 'metadata.name': name };
  return (
    matchExpressions.every((requirement) => meets(requirement, labels[requirement.key])) &&
    matchFields.every((requirement) => meets(requirement, known[requirement.key]))
  );
}

function meets({ operator, values }: SelectorRequirement, found: string | undefined): boolean {
  switch (operator) {
    case 'In':
      return found !== undefined && values.includes(found);
    case 'NotIn':
      return found === undefined || !values.includes(found);
    case 'Exists':
      return found !== undefined;
    case 'DoesNotExist':
      return found === undefined;
    case 'Gt':
      return found !== undefined && Number(found) > Number(values[0]);
    case 'Lt':
      return found !== undefined && Number(found) < Number(values[0]);
  }
}

/** rejectPodAdmissionBasedOnOSSelector and rejectPodAdmissionBasedOnOSField: a node runs Linux. */
function otherSystem({ metadata, spec }: Pod): Rejection | undefined {
  const label = metadata.labels['kubernetes.io/os'] ?? LINUX;
  if (label !== LINUX) {
    return {
      reason: 'PodOSSelectorNodeLabelDoesNotMatch',
      message: "Failed to admit pod as the `kubernetes.io/os` label doesn't match node label",
    };
  }
  if (spec.os === undefined || spec.os.name === LINUX) return undefined;
  return {
    reason: 'PodOSNotSupported',
    message: "Failed to admit pod as the OS field doesn't match node OS",
  };
}

const LINUX = 'linux';

const failed = (name: string, why: string): Rejection => ({
  reason: name,
  message: `Predicate ${name} failed: ${why}`,
});

/** Resources checked for every pod, in this order; others are checked only if the node has some of them. */
const COMMON = ['cpu', 'memory', 'ephemeral-storage'];

function lackOf(pod: Pod, others: readonly Pod[], node: AdmittingNode): Rejection | undefined {
  const capacity = amountsOf(node.allocatable);
  const pods = capacity.get('pods');
  if (pods !== undefined && others.length + 1 > pods) return lacking('pods', 1, others.length, pods);
  const wanted = podRequests(pod);
  if (wanted.size === 0) return undefined;
  const used = sumOfRequests(others);
  const names = [...COMMON, ...[...wanted.keys()].filter((name) => !COMMON.includes(name))];
  for (const name of names) {
    const [amount = 0, inUse = 0, all] = [wanted.get(name), used.get(name), capacity.get(name)];
    if (all !== undefined && amount > 0 && amount > all - inUse) return lacking(name, amount, inUse, all);
  }
  return undefined;
}

const lacking = (name: string, wanted: number, used: number, all: number): Rejection => ({
  reason: `OutOf${name}`,
  message: `Node didn't have enough resource: ${name}, requested: ${wanted}, used: ${used}, capacity: ${all}`,
});

function takenPorts(pod: Pod, others: readonly Pod[]): boolean {
  const wanted = hostPorts(pod);
  if (wanted.length === 0) return false;
  const taken = others.flatMap(hostPorts);
  return wanted.some((port) =>
    taken.some(
      (other) =>
        other.port === port.port &&
        other.protocol === port.protocol &&
        (other.ip === port.ip || other.ip === ANY || port.ip === ANY),
    ),
  );
}

const ANY = '0.0.0.0';

function hostPorts({
  spec,
}: Pod): { readonly ip: string; readonly port: number; readonly protocol: string }[] {
  const sidecars = spec.initContainers.filter(({ restartPolicy }) => restartPolicy === 'Always');
  return [...spec.containers, ...sidecars].flatMap(({ ports }) =>
    ports.flatMap(({ hostIP, hostPort = 0, protocol }) =>
      hostPort === 0 ? [] : [{ ip: hostIP || ANY, port: hostPort, protocol }],
    ),
  );
}

/** Static pods tolerate all taints. */
function isTolerant(
  { source, spec: { tolerations = [] } }: Pod,
  { taints }: AdmittingNode,
  effects: readonly string[],
): boolean {
  if (source === 'file') return true;
  return taints
    .filter(({ effect }) => effects.includes(effect))
    .every((taint) => tolerations.some((toleration) => tolerates(toleration, taint)));
}

/** ToleratesTaint (core/v1/toleration.go). */
function tolerates(
  { key, operator, value, effect }: Toleration,
  taint: AdmittingNode['taints'][number],
): boolean {
  if (effect !== '' && effect !== taint.effect) return false;
  if (key !== '' && key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

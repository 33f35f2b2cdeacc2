import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import type { NodeSelectorTerm } from '../kubernetes/placement.js';
import type { Pod, PodSpec } from '../kubernetes/pod.js';
import { admit } from './admit.js';
import type { AdmittingNode } from './admitting-node.js';

const node: AdmittingNode = {
  name: 'mock-0',
  labels: { zone: 'a', cores: '8' },
  taints: [],
  allocatable: { cpu: '4', memory: '8Gi', pods: '3', 'example.com/gpu': '1' },
};
const newest = { minor: 37 };
const withRequests = (requests: Record<string, string>, more: Partial<Pod['spec']> = {}): Pod =>
  aPod({ containers: [aContainer({ resources: { limits: {}, requests } })], ...more });
const reasonOf = (pod: Pod, others: readonly Pod[] = [], given = node) =>
  admit(pod, others, given, newest)?.reason;

test('a pod that fits is admitted', () => {
  expect(admit(withRequests({ cpu: '4', memory: '8Gi' }), [], node, newest)).toBeUndefined();
});

test('a resource that is short is named with its numbers', () => {
  expect(admit(withRequests({ cpu: '2500m' }), [withRequests({ cpu: '2' })], node, newest)).toEqual({
    reason: 'OutOfcpu',
    message: "Node didn't have enough resource: cpu, requested: 2500, used: 2000, capacity: 4000",
  });
  expect(reasonOf(withRequests({ memory: '9Gi' }))).toBe('OutOfmemory');
  expect(reasonOf(withRequests({ 'example.com/gpu': '2' }))).toBe('OutOfexample.com/gpu');
  // The node does not have it at all: others may (removeMissingExtendedResources).
  expect(reasonOf(withRequests({ 'example.com/fpga': '2' }))).toBeUndefined();
  expect(reasonOf(aPod(), [aPod(), aPod(), aPod()])).toBe('OutOfpods');
});

test('init containers count with their peak, sidecars with the containers', () => {
  const init = (cpu: string, restartPolicy?: 'Always') =>
    aContainer({ name: 'i', resources: { limits: {}, requests: { cpu } }, restartPolicy });
  expect(reasonOf(withRequests({ cpu: '1' }, { initContainers: [init('4')] }))).toBeUndefined();
  expect(reasonOf(withRequests({ cpu: '1' }, { initContainers: [init('5')] }))).toBe('OutOfcpu');
  expect(reasonOf(withRequests({ cpu: '3' }, { initContainers: [init('2', 'Always')] }))).toBe('OutOfcpu');
  expect(reasonOf(withRequests({}, { initContainers: [init('2', 'Always'), init('3')] }))).toBe('OutOfcpu');
});

const affinity = (term: NodeSelectorTerm): Partial<PodSpec> => ({
  affinity: {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  },
});

test('node selector and affinity have to fit the labels', () => {
  const term = (
    operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist' | 'Gt' | 'Lt',
    key: string,
    ...values: string[]
  ) =>
    reasonOf(withRequests({}, affinity({ matchExpressions: [{ key, operator, values }], matchFields: [] })));
  expect(reasonOf(withRequests({}, { nodeSelector: { zone: 'a' } }))).toBeUndefined();
  expect(admit(withRequests({}, { nodeSelector: { zone: 'b' } }), [], node, newest)).toEqual({
    reason: 'NodeAffinity',
    message: "Predicate NodeAffinity failed: node(s) didn't match Pod's node affinity/selector",
  });
  expect(term('In', 'zone', 'a', 'b')).toBeUndefined();
  expect(term('In', 'zone', 'b')).toBe('NodeAffinity');
  expect(term('NotIn', 'zone', 'a')).toBe('NodeAffinity');
  expect(term('Exists', 'rack')).toBe('NodeAffinity');
  expect(term('DoesNotExist', 'rack')).toBeUndefined();
  expect(term('Gt', 'cores', '7')).toBeUndefined();
  expect(term('Lt', 'cores', '8')).toBe('NodeAffinity');
  const byName = (name: string) =>
    reasonOf(
      withRequests(
        {},
        affinity({
          matchExpressions: [],
          matchFields: [{ key: 'metadata.name', operator: 'In', values: [name] }],
        }),
      ),
    );
  expect(byName('mock-0')).toBeUndefined();
  expect(byName('mock-1')).toBe('NodeAffinity');
});

test('a port of the node belongs to one pod', () => {
  const at = (hostPort: number, hostIP?: string) =>
    aPod({ containers: [aContainer({ ports: [{ containerPort: 80, hostPort, hostIP, protocol: 'TCP' }] })] });
  expect(reasonOf(at(8080), [at(8081)])).toBeUndefined();
  expect(reasonOf(at(8080), [at(8080, '10.0.0.1')])).toBe('NodePorts');
  expect(reasonOf(at(8080, '10.0.0.2'), [at(8080, '10.0.0.1')])).toBeUndefined();
});

test('a taint that evicts keeps away pods that do not tolerate it', () => {
  const tainted = { ...node, taints: [{ key: 'down', value: 'yes', effect: 'NoExecute' }] };
  const tolerating = (key: string, operator: string, value = '', effect = '') =>
    reasonOf({ ...aPod({ tolerations: [{ key, operator, value, effect }] }), source: 'api' }, [], tainted);
  expect(reasonOf({ ...aPod(), source: 'api' }, [], tainted)).toBe('TaintToleration');
  expect(reasonOf(aPod(), [], tainted)).toBeUndefined();
  expect(tolerating('down', 'Equal', 'yes')).toBeUndefined();
  expect(tolerating('down', 'Equal', 'no')).toBe('TaintToleration');
  expect(tolerating('', 'Exists')).toBeUndefined();
  expect(tolerating('down', 'Exists', '', 'NoSchedule')).toBe('TaintToleration');
});

const sysctl = (name: string, value: string) => ({ securityContext: { sysctls: [{ name, value }] } });

test.each([
  [sysctl('kernel.shm_rmid_forced', '1'), undefined],
  [sysctl('kernel/shm_rmid_forced', '1'), undefined],
  [sysctl('kernel.msgmax', '10000'), 'forbidden sysctl: "kernel.msgmax" not allowlisted'],
  [
    { ...sysctl('net.ipv4.tcp_syncookies', '1'), hostNetwork: true },
    'forbidden sysctl: "net.ipv4.tcp_syncookies" not allowed with host net enabled',
  ],
  [{ os: { name: 'linux' } }, undefined],
  [{ os: { name: 'windows' } }, "Failed to admit pod as the OS field doesn't match node OS"],
] satisfies [Partial<PodSpec>, string | undefined][])('a pod with %o', (spec, message) => {
  expect(admit(aPod(spec), [], node, newest)?.message).toBe(message);
});

test('kernel parameters that later kubelets allow', () => {
  const pod = aPod(sysctl('net.ipv4.tcp_notsent_lowat', '1'));
  const name = 'forbidden sysctl: "net.ipv4.tcp_notsent_lowat" not allowlisted';
  expect(admit(pod, [], node, { minor: 36 })?.message).toBe(name);
  expect(admit(pod, [], node, { minor: 37 })).toBeUndefined();
  expect(admit(aPod(sysctl('net.ipv4.tcp_rmem', '1')), [], node, { minor: 31 })).toBeDefined();
  expect(admit(aPod(sysctl('net.ipv4.tcp_rmem', '1')), [], node, { minor: 32 })).toBeUndefined();
});

test('a pod whose label names another operating system', () => {
  expect(reasonOf(aPod({}, { labels: { 'kubernetes.io/os': 'windows' } }))).toBe(
    'PodOSSelectorNodeLabelDoesNotMatch',
  );
});

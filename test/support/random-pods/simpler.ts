import { type CaseContainer, containersOf, type PodCase } from './pod-case.js';

/** Pods that are simpler by one step, the largest steps first. */
export function simplerPods(pod: PodCase): readonly PodCase[] {
  return [
    ...containersOf(pod).flatMap(({ name }) => withoutContainer(pod, name) ?? []),
    ...pod.faults.map((_, index) => ({ ...pod, faults: pod.faults.filter((_, other) => other !== index) })),
    ...(pod.removedAt === undefined ? [] : [{ ...pod, removedAt: undefined }]),
    ...optionalFields(pod).flatMap((field) =>
      field in pod.spec ? [{ ...pod, spec: without(pod.spec, field) }] : [],
    ),
    ...containersOf(pod).flatMap((container) => simplerContainers(pod, container)),
    ...pod.faults.flatMap((fault, index) =>
      fault.when === undefined || !('after' in fault.when)
        ? []
        : [
            {
              ...pod,
              faults: pod.faults.with(index, { ...fault, when: without(fault.when, 'after') }),
            },
          ],
    ),
  ];
}

/** Volumes stay while something mounts them. */
const optionalFields = (pod: PodCase): readonly string[] => [
  'activeDeadlineSeconds',
  'terminationGracePeriodSeconds',
  'restartPolicy',
  ...(containersOf(pod).some((container) => 'volumeMounts' in container) ? [] : ['volumes']),
];

function withoutContainer(pod: PodCase, name: string): PodCase | undefined {
  const keep = (list: readonly CaseContainer[] = []) => list.filter((each) => each.name !== name);
  const containers = keep(pod.spec.containers);
  if (containers.length === 0) return undefined;
  const initContainers = keep(pod.spec.initContainers);
  const { initContainers: _, ...spec } = pod.spec;
  return {
    ...pod,
    spec: { ...spec, ...(initContainers.length > 0 && { initContainers }), containers },
    behaviors: without(pod.behaviors, name),
    faults: pod.faults.filter(
      ({ match }) => (match?.container as { name?: string } | undefined)?.name !== name,
    ),
  };
}

/** Optional fields of containers and probes. */
const FIELDS = [
  'startupProbe',
  'livenessProbe',
  'readinessProbe',
  'lifecycle',
  'restartPolicyRules',
  'resources',
  'imagePullPolicy',
  'env',
  'volumeMounts',
];
const PARTS = ['initialDelaySeconds', 'timeoutSeconds', 'successThreshold', 'terminationGracePeriodSeconds'];

function simplerContainers(pod: PodCase, container: CaseContainer): readonly PodCase[] {
  const instead = (changed: CaseContainer): PodCase => {
    const put = (list: readonly CaseContainer[]) => list.map((each) => (each === container ? changed : each));
    const { initContainers, containers } = pod.spec;
    return {
      ...pod,
      spec: {
        ...pod.spec,
        ...(initContainers && { initContainers: put(initContainers) }),
        containers: put(containers),
      },
    };
  };
  const behaves = (behavior: string): PodCase => ({
    ...pod,
    behaviors: { ...pod.behaviors, [container.name]: behavior },
  });
  const behavior = pod.behaviors[container.name] ?? 'run';
  return [
    ...FIELDS.flatMap((field) => (field in container ? [instead(without(container, field))] : [])),
    ...FIELDS.flatMap((field) =>
      PARTS.flatMap((part) => {
        const probe = container[field];
        return typeof probe === 'object' && probe !== null && part in probe
          ? [instead({ ...container, [field]: without(probe, part) })]
          : [];
      }),
    ),
    ...simplerBehaviors(behavior).map(behaves),
  ];
}

/** Without one attempt, or without one part of all attempts. */
function simplerBehaviors(behavior: string): readonly string[] {
  if (behavior === 'run') return [];
  const attempts = behavior.split(';');
  const parts = new Set(attempts.flatMap((attempt) => partsOf(attempt)));
  return [
    'run',
    ...(attempts.length > 1
      ? attempts.map((_, index) => attempts.filter((_, at) => at !== index).join(';'))
      : []),
    ...[...parts]
      .filter((part) => part !== 'run' && !/^(after|from)=/.test(part))
      .map((part) => attempts.map((attempt) => withoutPart(attempt, part)).join(';')),
  ];
}

/** `on-term=exit:0,after:6s` is one. */
const partsOf = (attempt: string): readonly string[] => attempt.split(/,(?!after:)/);

/** Without a part, and without its time. */
function withoutPart(attempt: string, part: string): string {
  const parts = partsOf(attempt);
  if (!parts.includes(part)) return attempt;
  const time = /^(exit|oom)/.test(part) ? 'after=' : part.startsWith('exec-exit') ? 'from=' : undefined;
  const left = parts.filter((each) => each !== part && (time === undefined || !each.startsWith(time)));
  return left.join(',') || 'run';
}

const without = <T extends object>(object: T, field: string): T =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field)) as T;

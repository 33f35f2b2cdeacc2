import type { ObjectMetadata, OwnerReference, Workload } from './objects.js';
import { generatedName, letters, uidOf } from './pod-names.js';

/** A v1.Pod as written, like its controller creates it. */
export interface MadePod {
  readonly apiVersion: 'v1';
  readonly kind: 'Pod';
  readonly metadata: ObjectMetadata & { readonly name: string };
  readonly spec: object;
}

export interface MadePods {
  readonly pods: readonly MadePod[];
  /** Actions of its controller that are omitted here. */
  readonly leftOut: string;
}

type Template = { readonly metadata?: ObjectMetadata; readonly spec: object };

/** Creates `replicas` pods, or one. A DaemonSet has one pod per node, and there is one node. */
export function podsOf(object: Workload, replicas: number | undefined): MadePods {
  const wanted = replicas ?? 1;
  const most = numberAt(object.spec, object.kind === 'Job' ? 'parallelism' : 'replicas') ?? 1;
  const count = most === 0 && replicas === undefined ? 0 : wanted;
  const { name } = named(object);
  const of = count < most ? `${count} of its ${most} pods: --replicas changes this; ` : '';
  switch (object.kind) {
    case 'Pod':
      return { pods: [ownPod(object)], leftOut: '' };
    case 'Deployment': {
      const hash = letters(10, JSON.stringify(object.spec.template));
      const set = `${name}-${hash}`;
      const owner = ownerOf('apps/v1', 'ReplicaSet', set, uidOf(set, 'ReplicaSet'));
      const labels = { 'pod-template-hash': hash };
      const pods = numbers(count).map((index) => randomPod(object, templateOf(object), owner, labels, index));
      return {
        pods,
        leftOut: `${of}deleted or evicted pods are not replaced, and there are no rolling updates`,
      };
    }
    case 'ReplicaSet': {
      const pods = numbers(count).map((index) =>
        randomPod(object, templateOf(object), controllerOf(object), {}, index),
      );
      return { pods, leftOut: `${of}deleted or evicted pods are not replaced` };
    }
    case 'StatefulSet':
      return {
        pods: numbers(count).map((index) => ordinalPod(object, index)),
        leftOut: `${of}pods start in parallel, are not replaced, and have empty volumes`,
      };
    case 'DaemonSet': {
      const labels = {
        'controller-revision-hash': letters(10, JSON.stringify(object.spec.template)),
        'pod-template-generation': '1',
      };
      const pod = randomPod(object, templateOf(object), controllerOf(object), labels, 0);
      return { pods: [pod], leftOut: 'one pod on the node; it is not replaced when deleted' };
    }
    case 'Job':
      return {
        pods: jobPods(object, object.spec, name, controllerOf(object), count),
        leftOut: `${of}a pod that fails is not replaced (backoffLimit, completions)`,
      };
    case 'CronJob':
      return cronJobPods(object, count);
  }
}

function cronJobPods(object: Workload, count: number): MadePods {
  const { spec } = object.spec.jobTemplate as { readonly spec: Readonly<Record<string, unknown>> };
  // The controller appends the time in minutes.
  const name = `${named(object).name}-29400000`;
  const owner = ownerOf('batch/v1', 'Job', name, uidOf(name, 'Job'));
  return {
    pods: jobPods(object, spec, name, owner, count),
    leftOut: `one job is created at the start, regardless of the schedule "${object.spec.schedule}"; a pod that fails is not replaced`,
  };
}

function jobPods(
  object: Workload,
  spec: Readonly<Record<string, unknown>>,
  job: string,
  owner: OwnerReference,
  count: number,
): MadePod[] {
  const template = spec.template as Template;
  const labels = {
    'batch.kubernetes.io/controller-uid': owner.uid,
    'batch.kubernetes.io/job-name': job,
    'controller-uid': owner.uid,
    'job-name': job,
  };
  const isIndexed = spec.completionMode === 'Indexed';
  return numbers(count).map((index) => {
    if (!isIndexed) return randomPod(object, template, owner, labels, index);
    const indexed = { 'batch.kubernetes.io/job-completion-index': String(index) };
    const made = randomPod(object, template, owner, { ...labels, ...indexed }, index);
    const { annotations } = made.metadata;
    const metadata = {
      ...made.metadata,
      name: generatedName(`${job}-${index}-`),
      annotations: { ...annotations, ...indexed },
    };
    return { ...made, metadata, spec: { ...made.spec, hostname: `${job}-${index}` } };
  });
}

export function named({ metadata, kind }: Pick<Workload, 'metadata' | 'kind'>): { readonly name: string } {
  const { name, generateName = '' } = metadata;
  return { name: name ?? generatedName(generateName, kind) };
}

function ownPod(object: Workload): MadePod {
  const { generateName, deletionTimestamp, deletionGracePeriodSeconds, ...metadata } = object.metadata;
  const { name } = named(object);
  return { apiVersion: 'v1', kind: 'Pod', metadata: { ...metadata, name }, spec: object.spec };
}

function randomPod(
  object: Workload,
  template: Template,
  owner: OwnerReference,
  labels: Readonly<Record<string, string>>,
  index: number,
): MadePod {
  const name = generatedName(`${owner.name}-`, String(index));
  return made(object, template, owner, name, labels);
}

function ordinalPod(object: Workload, index: number): MadePod {
  const { ordinals, serviceName } = object.spec as {
    readonly ordinals?: { readonly start?: number };
    readonly serviceName?: string;
  };
  const ordinal = (ordinals?.start ?? 0) + index;
  const owner = controllerOf(object);
  const name = `${owner.name}-${ordinal}`;
  const pod = made(object, templateOf(object), owner, name, {
    'apps.kubernetes.io/pod-index': String(ordinal),
    'controller-revision-hash': `${owner.name}-${letters(10, JSON.stringify(object.spec.template))}`,
    'statefulset.kubernetes.io/pod-name': name,
  });
  const spec = { ...pod.spec, hostname: name, ...(serviceName && { subdomain: serviceName }) };
  return { ...pod, spec };
}

function made(
  { metadata: { namespace } }: Workload,
  { metadata: { labels, annotations } = {}, spec }: Template,
  owner: OwnerReference,
  name: string,
  added: Readonly<Record<string, string>>,
): MadePod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(namespace !== undefined && { namespace }),
      uid: uidOf(namespace ?? 'default', name),
      labels: { ...labels, ...added },
      ...(annotations && { annotations }),
      ownerReferences: [owner],
    },
    spec,
  };
}

const templateOf = ({ spec }: Workload): Template => spec.template as Template;

const controllerOf = (object: Workload): OwnerReference => {
  const { apiVersion, kind, metadata } = object;
  const { name } = named(object);
  return ownerOf(apiVersion, kind, name, metadata.uid ?? uidOf(name, kind));
};

const ownerOf = (apiVersion: string, kind: string, name: string, uid: string): OwnerReference => ({
  apiVersion,
  kind,
  name,
  uid,
  controller: true,
  blockOwnerDeletion: true,
});

const numbers = (count: number): number[] => Array.from({ length: count }, (_, index) => index);

const numberAt = (object: Readonly<Record<string, unknown>>, field: string): number | undefined =>
  typeof object[field] === 'number' ? object[field] : undefined;

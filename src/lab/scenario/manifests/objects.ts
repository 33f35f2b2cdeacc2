import { isObject } from '../../../base/input/object.js';
import { didYouMean } from '../../../base/input/suggest.js';
import { InputError, type InputProblem, type OpenYaml } from '../../../base/input/yaml.js';
import { type DataObject, dataObjectSchema } from '../../../kubelet/kubernetes/data-objects.js';
import { strict, tolerant } from '../../../kubelet/kubernetes/fields.js';
import type { PodSpec } from '../../../kubelet/kubernetes/pod.js';
import type { PodApiStatus } from '../../../kubelet/kubernetes/pod-status.js';
import { type Service, serviceSchema } from '../../../kubelet/kubernetes/services.js';
import { type WorkloadKind, workloadKinds, workloadSchema } from '../../../kubelet/kubernetes/workloads.js';
import { checkAnnotations } from '../file/check-annotations.js';
import type { LoadChoices } from '../file/loaded-scenario.js';
import { withoutServerFields } from './server-fields.js';

export interface ObjectMetadata {
  readonly name?: string;
  readonly generateName?: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly ownerReferences?: readonly OwnerReference[];
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}

export interface OwnerReference {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly uid: string;
  readonly controller?: boolean;
  readonly blockOwnerDeletion?: boolean;
}

/** A pod's specification as written, and with its defaults. */
export interface WrittenSpec {
  readonly written: object;
  readonly read: PodSpec;
}

/** A pod, or an object that creates pods, without fields that only an API server sets. */
export interface Workload {
  readonly kind: WorkloadKind;
  readonly apiVersion: string;
  readonly metadata: ObjectMetadata;
  readonly spec: Readonly<Record<string, unknown>>;
  readonly pod: WrittenSpec;
  readonly status: PodApiStatus | undefined;
  readonly unknown: readonly string[];
  /** Place of a field, such as `web.yaml:12`. */
  place(path: readonly (string | number)[]): string;
}

/** Contents of the files: workloads, the objects they use, and a note about each other object. */
export interface ReadObjects {
  readonly workloads: readonly Workload[];
  readonly data: readonly DataObject[];
  readonly services: readonly Service[];
  readonly others: readonly string[];
  /** About objects that a cluster would refuse. */
  readonly notes: readonly string[];
}

const MOST_OBJECTS = 5_000;

/** Throws InputError with the line of each mistake. */
export function readObjects(documents: readonly OpenYaml[], choices: LoadChoices = {}): ReadObjects {
  const all = documents.flatMap(itemsOf);
  if (all.length > MOST_OBJECTS)
    throw new InputError([
      `${all.length} objects; at most ${MOST_OBJECTS} are read. Select some: kubectl get -l, -n`,
    ]);
  const workloads: Workload[] = [];
  const data: DataObject[] = [];
  const services: Service[] = [];
  const others: string[] = [];
  const notes = new Set<string>();
  const problems: (string | InputError['details'][number])[] = [];
  for (const view of all) {
    try {
      const read = readObject(view, choices);
      const { apiVersion, kind } = view.written as { readonly apiVersion?: unknown; readonly kind: string };
      const removed = removedApi(apiVersion, kind);
      if (removed !== undefined) notes.add(removed);
      if (typeof read === 'string') others.push(read);
      else if ('pod' in read) workloads.push(read);
      else if (read.kind === 'Service') services.push(read);
      else data.push(read);
    } catch (error) {
      if (!(error instanceof InputError)) throw error;
      problems.push(...(error.details.length > 0 ? error.details : error.problems));
    }
  }
  if (problems.length > 0) throw new InputError(problems);
  return { workloads, data, services, others, notes: [...notes] };
}

function itemsOf(document: OpenYaml): OpenYaml[] {
  const { written } = document;
  if (!isObject(written) || !String(written.kind ?? '').endsWith('List')) return [document];
  if (!Array.isArray(written.items))
    throw new InputError([document.problem(['items'], 'expected a list of objects')]);
  return written.items.map((_, index) => document.part(['items', index]));
}

function readObject(view: OpenYaml, { ownKubelet }: LoadChoices): Workload | DataObject | Service | string {
  const { written } = view;
  if (!isObject(written) || typeof written.kind !== 'string')
    throw new InputError([view.problem(['kind'], 'expected an object of Kubernetes with a kind')]);
  const { kind } = written;
  const metadata = isObject(written.metadata) ? written.metadata : {};
  if ((kind === 'ConfigMap' || kind === 'Secret') && written.apiVersion === 'v1')
    return view.read(dataObjectSchema, withoutNulls(written)).value;
  if (kind === 'Service' && written.apiVersion === 'v1')
    return view.read(serviceSchema, withoutNulls(written)).value;
  if (!isWorkload(kind)) return otherObject(view, kind, metadata.name);
  const isFromServer = ['resourceVersion', 'managedFields', 'uid'].some((field) => field in metadata);
  const given = withClaims(withoutNulls(written) as Readonly<Record<string, unknown>>);
  const schema = workloadSchema(kind, isFromServer || ownKubelet ? tolerant : strict);
  const read = view.read(schema, given).value as Readonly<Record<string, unknown>>;
  checkTemplate(view, kind, given);
  const unknown: string[] = [];
  const { status: _, ...checked } = given;
  const known = knownPart(checked, read, '', unknown) as Readonly<Record<string, unknown>>;
  const kept = ownKubelet ? checked : known;
  const object = isFromServer ? withoutServerFields(kept) : kept;
  const spec = object.spec as Readonly<Record<string, unknown>>;
  return {
    kind,
    apiVersion: String(object.apiVersion),
    metadata: object.metadata as ObjectMetadata,
    spec,
    pod: { written: podSpecOf(kind, spec) as object, read: podSpecOf(kind, read.spec) as PodSpec },
    status: kind === 'Pod' ? (read.status as PodApiStatus | undefined) : undefined,
    unknown,
    place: (path) => {
      const { source, line } = view.problem(path, '');
      return `${source}:${line}`;
    },
  };
}

const isWorkload = (kind: string): kind is WorkloadKind =>
  (workloadKinds as readonly string[]).includes(kind);

/** An object that creates no pods. A misspelled workload kind is an error. */
function otherObject(view: OpenYaml, kind: string, name: unknown = ''): string {
  const { apiVersion } = view.written as { readonly apiVersion?: unknown };
  const near = /^(v1|apps\/v1|batch\/v1)$/.test(String(apiVersion)) ? didYouMean(kind, workloadKinds) : '';
  if (near !== '') throw new InputError([view.problem(['kind'], `unknown kind "${kind}"${near}`)]);
  return name === '' ? kind : `${kind} ${name}`;
}

/** Throws InputError for invalid Mockri annotations of the pod or template. */
function checkTemplate(view: OpenYaml, kind: WorkloadKind, given: Readonly<Record<string, unknown>>): void {
  const problems: InputProblem[] = [];
  const path = templatePath(kind);
  const pod = valueAt(given, path) as Parameters<typeof checkAnnotations>[0];
  checkAnnotations(pod, path, (place, message) => void problems.push(view.problem(place, message)));
  if (problems.length > 0) throw new InputError(problems);
}

function templatePath(kind: WorkloadKind): readonly string[] {
  if (kind === 'Pod') return [];
  return kind === 'CronJob' ? ['spec', 'jobTemplate', 'spec', 'template'] : ['spec', 'template'];
}

const podSpecOf = (kind: WorkloadKind, spec: unknown): unknown =>
  valueAt({ spec }, [...templatePath(kind), 'spec']);

const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce((found, key) => (found as Readonly<Record<string, unknown>>)[key], value);

/** Adds volumes for the claims of a StatefulSet, because containers may mount them. */
function withClaims(object: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { kind, spec } = object;
  if (kind !== 'StatefulSet' || !isObject(spec) || !Array.isArray(spec.volumeClaimTemplates)) return object;
  const { template } = spec;
  if (!isObject(template) || !isObject(template.spec)) return object;
  const names = spec.volumeClaimTemplates.flatMap((claim) =>
    isObject(claim) && isObject(claim.metadata) ? [String(claim.metadata.name)] : [],
  );
  const own = Array.isArray(template.spec.volumes) ? template.spec.volumes : [];
  const others = own.filter((volume) => !isObject(volume) || !names.includes(String(volume.name)));
  const volumes = [...others, ...names.map((name) => ({ name, emptyDir: {} }))];
  return { ...object, spec: { ...spec, template: { ...template, spec: { ...template.spec, volumes } } } };
}

/** An API server treats null fields as not set. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => (each === null ? [] : [[key, withoutNulls(each)]])),
  );
}

/** Paths of the fields of a written pod that nobody here knows. */
export function unknownFields(pod: object): string[] {
  const unknown: string[] = [];
  const { data } = podSchema.safeParse(pod);
  if (data !== undefined) knownPart(pod, data, '', unknown);
  return unknown;
}

const podSchema = workloadSchema('Pod', tolerant);

/** The part of a written value that the reader knows, as written. Adds other paths to `unknown`. */
function knownPart(written: unknown, read: unknown, path: string, unknown: string[]): unknown {
  if (Array.isArray(written) && Array.isArray(read))
    return written.map((each, index) => knownPart(each, read[index], `${path}[${index}]`, unknown));
  if (!isObject(written) || !isObject(read)) return written;
  return Object.fromEntries(
    Object.entries(written).flatMap(([key, each]) => {
      const at = path === '' ? key : `${path}.${key}`;
      if (Object.hasOwn(read, key)) return [[key, knownPart(each, read[key], at, unknown)]];
      unknown.push(at);
      return [];
    }),
  );
}

/** The release that removed an API, and its replacement (API deprecation guide); all before the oldest kubelet here. */
const REMOVED: Readonly<Record<string, readonly [since: string, use: string]>> = {
  'extensions/v1beta1': ['1.16', 'apps/v1'],
  'extensions/v1beta1 Ingress': ['1.22', 'networking.k8s.io/v1'],
  'extensions/v1beta1 NetworkPolicy': ['1.16', 'networking.k8s.io/v1'],
  'apps/v1beta1': ['1.16', 'apps/v1'],
  'apps/v1beta2': ['1.16', 'apps/v1'],
  'batch/v2alpha1': ['1.21', 'batch/v1'],
  'batch/v1beta1': ['1.25', 'batch/v1'],
  'policy/v1beta1': ['1.25', 'policy/v1'],
  'policy/v1beta1 PodSecurityPolicy': ['1.25', 'Pod Security admission'],
  'extensions/v1beta1 PodSecurityPolicy': ['1.16', 'Pod Security admission'],
  'autoscaling/v2beta1': ['1.25', 'autoscaling/v2'],
  'autoscaling/v2beta2': ['1.26', 'autoscaling/v2'],
  'networking.k8s.io/v1beta1 Ingress': ['1.22', 'networking.k8s.io/v1'],
  'networking.k8s.io/v1beta1 IngressClass': ['1.22', 'networking.k8s.io/v1'],
  'rbac.authorization.k8s.io/v1alpha1': ['1.22', 'rbac.authorization.k8s.io/v1'],
  'rbac.authorization.k8s.io/v1beta1': ['1.22', 'rbac.authorization.k8s.io/v1'],
  'apiextensions.k8s.io/v1beta1': ['1.22', 'apiextensions.k8s.io/v1'],
  'apiregistration.k8s.io/v1beta1': ['1.22', 'apiregistration.k8s.io/v1'],
  'admissionregistration.k8s.io/v1beta1 MutatingWebhookConfiguration': [
    '1.22',
    'admissionregistration.k8s.io/v1',
  ],
  'admissionregistration.k8s.io/v1beta1 ValidatingWebhookConfiguration': [
    '1.22',
    'admissionregistration.k8s.io/v1',
  ],
  'scheduling.k8s.io/v1beta1': ['1.22', 'scheduling.k8s.io/v1'],
  'coordination.k8s.io/v1beta1 Lease': ['1.22', 'coordination.k8s.io/v1'],
  'storage.k8s.io/v1beta1 StorageClass': ['1.22', 'storage.k8s.io/v1'],
  'storage.k8s.io/v1beta1 CSIDriver': ['1.22', 'storage.k8s.io/v1'],
  'storage.k8s.io/v1beta1 CSIStorageCapacity': ['1.27', 'storage.k8s.io/v1'],
  'node.k8s.io/v1beta1': ['1.25', 'node.k8s.io/v1'],
  'discovery.k8s.io/v1beta1': ['1.25', 'discovery.k8s.io/v1'],
  'events.k8s.io/v1beta1': ['1.25', 'events.k8s.io/v1'],
};

/** Note about an API that no simulated version has; undefined for others. */
function removedApi(apiVersion: unknown, kind: string): string | undefined {
  const api = String(apiVersion);
  const [since, use] = REMOVED[`${api} ${kind}`] ?? REMOVED[api] ?? [];
  return since && `${api} ${kind} was removed in Kubernetes ${since}, so kubectl refuses it; use ${use}`;
}

import { z } from 'zod';
import { containerSchema, ephemeralContainerSchema, id, restartPolicy } from './container.js';
import { type Fields, type Fixed, ignored, once, type Read, strict, tolerant } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { dnsLabel, dnsSubdomain, objectName, uid } from './names.js';
import { placement } from './placement.js';
import { checkPod } from './pod-checks.js';
import { type PodApiStatus, podStatusSchema } from './pod-status.js';
import { resourcesSchema } from './resources.js';
import { time } from './time.js';
import { volumeSchema } from './volumes.js';

const strings = z.record(z.string(), z.string()).default({});

/** v1.PodSecurityContext. */
const podSecurityContext = once((fields) =>
  fields({
    runAsUser: id.optional(),
    runAsGroup: id.optional(),
    runAsNonRoot: z.boolean().optional(),
    /** Group of all processes, and of the files in the pod's volumes. */
    fsGroup: id.optional(),
    /** More groups of all processes. */
    supplementalGroups: z.array(id).optional(),
    /** Kernel parameters of the sandbox. */
    sysctls: z.array(fields({ name: z.string(), value: z.string() })).optional(),
    ...ignored(withoutEffect.podSecurityContext),
  }),
);

/** v1.HostAlias: names of an address, for /etc/hosts. */
const hostAlias = once((fields) =>
  fields({ ip: z.union([z.ipv4(), z.ipv6()]), hostnames: z.array(dnsSubdomain).default([]) }),
);

/** v1.PodSpec, validated and defaulted as the API server does. Times are seconds. */
const makeSpecSchema = once((fields) =>
  fields({
    initContainers: z.array(containerSchema(fields)).default([]),
    containers: z.array(containerSchema(fields)).min(1, 'expected at least one container'),
    ephemeralContainers: z.array(ephemeralContainerSchema(fields)).optional(),
    restartPolicy: restartPolicy.default('Always'),
    terminationGracePeriodSeconds: z.int().min(0).default(30),
    activeDeadlineSeconds: z.int().min(1).max(2_147_483_647).optional(),
    /** Of its priority class. */
    priority: z.int32().optional(),
    hostNetwork: z.boolean().default(false),
    hostPID: z.boolean().default(false),
    hostIPC: z.boolean().default(false),
    shareProcessNamespace: z.boolean().default(false),
    hostname: dnsLabel.optional(),
    /** The Service under whose name the pod has one, as in `db-0.db`. */
    subdomain: dnsLabel.optional(),
    /** Name of the host instead of `hostname` and the pod's name (HostnameOverride, from 1.35 on by default). */
    hostnameOverride: dnsSubdomain.max(64).optional(),
    hostAliases: z.array(hostAlias(fields)).optional(),
    nodeName: z.string().optional(),
    ...placement(fields),
    /** Operating system that the pod is for. Default: any. */
    os: fields({ name: z.string() }).optional(),
    runtimeClassName: z.string().optional(),
    serviceAccountName: objectName.or(z.literal('')).optional(),
    /** Secrets with credentials of registries. */
    imagePullSecrets: z.array(fields({ name: objectName.or(z.literal('')).default('') })).optional(),
    /** Conditions that others set; the pod is ready when they are all true. */
    readinessGates: z.array(fields({ conditionType: z.string() })).optional(),
    /** Whether containers have variables of the services of their namespace. Default: they have. */
    enableServiceLinks: z.boolean().optional(),
    dnsPolicy: z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']).default('ClusterFirst'),
    securityContext: podSecurityContext(fields).default({}),
    volumes: z.array(volumeSchema(fields)).default([]),
    /** Of the pod as a whole; they decide its quality of service. */
    resources: resourcesSchema(fields).optional(),
    ...ignored(withoutEffect.spec),
  }).superRefine(checkPod),
);

/** A type with a name: without one, each declaration that uses it repeats its thousands of lines. */
export interface SpecSchema extends ReturnType<typeof makeSpecSchema> {}
/** v1.PodSpec, of a pod or of a template of pods. */
export const podSpecSchema: (fields: Fields) => SpecSchema = makeSpecSchema;

const checkedManifestSchema = z.strictObject({
  apiVersion: z.literal('v1'),
  kind: z.literal('Pod'),
  metadata: z.strictObject({
    name: dnsSubdomain,
    namespace: dnsLabel.default('default'),
    uid: uid.optional(),
    labels: strings,
    annotations: strings,
    ...ignored(withoutEffect.metadata),
  }),
  spec: podSpecSchema(strict),
  status: z.unknown().optional(),
});

type CheckedManifestSchema = typeof checkedManifestSchema;
/** The type of `manifestPodSchema`, by name. */
export interface ManifestPodSchema extends CheckedManifestSchema {}
/** v1.Pod as a manifest says it: unknown fields are mistakes. The supported part; other fields of v1.Pod are dropped. */
export const manifestPodSchema: ManifestPodSchema = checkedManifestSchema;

const list = <K extends string>(kind: K) =>
  z.strictObject({
    apiVersion: z.literal('v1'),
    kind: z.literal(kind),
    metadata: z.unknown().optional(),
    items: z.array(manifestPodSchema),
  });

/** Content of a manifest file: a pod, or a list of pods. */
export const manifestSchema = z.discriminatedUnion('kind', [
  manifestPodSchema,
  list('PodList'),
  list('List'),
]);

/** v1.ObjectMeta of a pod in the API. */
const metadataSchema = z.object({
  name: dnsSubdomain,
  namespace: dnsLabel.default('default'),
  uid,
  labels: strings,
  annotations: strings,
  /** Counts the changes of the specification; a static pod has none. */
  generation: z.int().optional(),
  /** Unix nanoseconds. */
  creationTimestamp: time,
  /** Unix nanoseconds; set when the pod is deleted. */
  deletionTimestamp: time,
  /** Set together with `deletionTimestamp`; overrides the specification's grace period. */
  deletionGracePeriodSeconds: z.int().min(0).optional(),
});

/** v1.Pod as an API server sends it: fields that are not read here are dropped, all others checked as in a manifest. */
export const apiPodSchema = z.object({
  metadata: metadataSchema,
  spec: podSpecSchema(tolerant),
  status: podStatusSchema.optional(),
});

/** v1.ObjectMeta. */
export type PodMetadata = Fixed<z.output<typeof metadataSchema>>;
/** v1.PodSpec. Fields with a default in Kubernetes are always set, all others are optional. */
export type PodSpec = Read<typeof podSpecSchema>;
/** v1.HostAlias. */
export type HostAlias = Read<typeof hostAlias>;

/** v1.Pod, which a manifest or the API says and the kubelet acts on. */
export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  /** As the API server had it when the kubelet first saw the pod: a kubelet that was restarted continues from there. */
  readonly status?: PodApiStatus | undefined;
  /** Source of the pod. The deletion of a static pod never leads to a terminal phase. */
  readonly source: 'file' | 'api';
}

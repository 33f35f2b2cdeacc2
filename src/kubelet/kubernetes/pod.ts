import { z } from 'zod';
import { containerSchema, ephemeralContainerSchema, id, restartPolicy } from './container.js';
import { type Fields, type Fixed, ignored, once, type Read, tolerant } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { dnsLabel, dnsSubdomain, objectName, uid } from './names.js';
import { placement } from './placement.js';
import { checkPod } from './pod-checks.js';
import { type PodApiStatus, podStatusSchema } from './pod-status.js';
import { resourcesSchema } from './resources.js';
import { time } from './time.js';
import { volumeSchema } from './volumes.js';

const strings = z.record(z.string(), z.string()).default({});

const podSecurityContext = once((fields) =>
  fields({
    runAsUser: id.optional(),
    runAsGroup: id.optional(),
    runAsNonRoot: z.boolean().optional(),
    fsGroup: id.optional(),
    /** Additional groups of all processes. */
    supplementalGroups: z.array(id).optional(),
    sysctls: z.array(fields({ name: z.string(), value: z.string() })).optional(),
    ...ignored(withoutEffect.podSecurityContext),
  }),
);

/** v1.HostAlias, for /etc/hosts. */
const hostAlias = once((fields) =>
  fields({ ip: z.union([z.ipv4(), z.ipv6()]), hostnames: z.array(dnsSubdomain).default([]) }),
);

/** Validated and defaulted like the API server does. Times are in seconds. */
const makeSpecSchema = once((fields) =>
  fields({
    initContainers: z.array(containerSchema(fields)).default([]),
    containers: z.array(containerSchema(fields)).min(1, 'expected at least one container'),
    ephemeralContainers: z.array(ephemeralContainerSchema(fields)).optional(),
    restartPolicy: restartPolicy.default('Always'),
    terminationGracePeriodSeconds: z.int().min(0).default(30),
    activeDeadlineSeconds: z.int().min(1).max(2_147_483_647).optional(),
    priority: z.int32().optional(),
    hostNetwork: z.boolean().default(false),
    hostPID: z.boolean().default(false),
    hostIPC: z.boolean().default(false),
    shareProcessNamespace: z.boolean().default(false),
    hostname: dnsLabel.optional(),
    /** The Service whose domain contains the pod, as in `db-0.db`. */
    subdomain: dnsLabel.optional(),
    /** Host name that overrides `hostname` and the pod's name (HostnameOverride, from 1.35 on by default). */
    hostnameOverride: dnsSubdomain.max(64).optional(),
    hostAliases: z.array(hostAlias(fields)).optional(),
    nodeName: z.string().optional(),
    ...placement(fields),
    /** Default: any. */
    os: fields({ name: z.string() }).optional(),
    runtimeClassName: z.string().optional(),
    serviceAccountName: objectName.or(z.literal('')).optional(),
    imagePullSecrets: z.array(fields({ name: objectName.or(z.literal('')).default('') })).optional(),
    /** Conditions that other components set; the pod is ready when all of them are true. */
    readinessGates: z.array(fields({ conditionType: z.string() })).optional(),
    /** Whether containers get variables for the Services of their namespace. Default true. */
    enableServiceLinks: z.boolean().optional(),
    dnsPolicy: z.enum(['ClusterFirst', 'ClusterFirstWithHostNet', 'Default', 'None']).default('ClusterFirst'),
    securityContext: podSecurityContext(fields).default({}),
    volumes: z.array(volumeSchema(fields)).default([]),
    /** Pod-level resources; they decide the quality of service. */
    resources: resourcesSchema(fields).optional(),
    ...ignored(withoutEffect.spec),
  }).superRefine(checkPod),
);

/** A named type: otherwise each declaration that uses it would repeat its thousands of lines. */
export interface SpecSchema extends ReturnType<typeof makeSpecSchema> {}
export const podSpecSchema: (fields: Fields) => SpecSchema = makeSpecSchema;

const makeManifestPodSchema = once((fields) =>
  fields({
    apiVersion: z.literal('v1'),
    kind: z.literal('Pod'),
    metadata: fields({
      name: dnsSubdomain,
      namespace: dnsLabel.default('default'),
      uid: uid.optional(),
      labels: strings,
      annotations: strings,
      ...ignored(withoutEffect.metadata),
    }),
    spec: podSpecSchema(fields),
    status: z.unknown().optional(),
  }),
);

export interface ManifestPodSchema extends ReturnType<typeof makeManifestPodSchema> {}
/** v1.Pod in a manifest. */
export const manifestPodSchema: (fields: Fields) => ManifestPodSchema = makeManifestPodSchema;

const list = <K extends string>(kind: K, fields: Fields) =>
  fields({
    apiVersion: z.literal('v1'),
    kind: z.literal(kind),
    metadata: z.unknown().optional(),
    items: z.array(manifestPodSchema(fields)),
  });

/** A pod or a list of pods. */
export const manifestSchema = once((fields) =>
  z.discriminatedUnion('kind', [manifestPodSchema(fields), list('PodList', fields), list('List', fields)]),
);

const metadataSchema = z.object({
  name: dnsSubdomain,
  namespace: dnsLabel.default('default'),
  uid,
  labels: strings,
  annotations: strings,
  ownerReferences: z
    .array(z.object({ apiVersion: z.string(), kind: z.string(), name: z.string(), uid: z.string() }))
    .optional(),
  /** Increases with each change of the specification; a static pod has none. */
  generation: z.int().optional(),
  /** Unix nanoseconds. */
  creationTimestamp: time,
  /** Unix nanoseconds; set when the pod is deleted. */
  deletionTimestamp: time,
  /** Set together with `deletionTimestamp`; overrides the specification's grace period. */
  deletionGracePeriodSeconds: z.int().min(0).optional(),
});

/** v1.Pod from an API server: drops fields that are not read here, and checks all others as in a manifest. */
export const apiPodSchema = z.object({
  metadata: metadataSchema,
  spec: podSpecSchema(tolerant),
  status: podStatusSchema.optional(),
});

export type PodMetadata = Fixed<z.output<typeof metadataSchema>>;
/** v1.PodSpec. Fields with a default in Kubernetes are always set; all others are optional. */
export type PodSpec = Read<typeof podSpecSchema>;
export type HostAlias = Read<typeof hostAlias>;

export interface Pod {
  readonly metadata: PodMetadata;
  readonly spec: PodSpec;
  readonly status?: PodApiStatus | undefined;
  /** The deletion of a static pod never leads to a terminal phase. */
  readonly source: 'file' | 'api';
}

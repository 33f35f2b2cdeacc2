import { z } from 'zod';
import { type Fields, ignored, once, words } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { dnsLabel, dnsSubdomain, uid } from './names.js';
import { podSpecSchema } from './pod.js';
import { podStatusSchema } from './pod-status.js';

const strings = z.record(z.string(), z.string()).optional();
const count = z.int().min(0);
const name = dnsSubdomain;
const anything = z.unknown().optional();

/** v1.OwnerReference. */
const owner = once((fields) =>
  fields({
    apiVersion: z.string(),
    kind: z.string(),
    name: z.string(),
    uid: z.string(),
    controller: z.boolean().optional(),
    blockOwnerDeletion: z.boolean().optional(),
  }),
);

const metadataShape = once((fields) => ({
  ...ignored([...withoutEffect.metadata, 'deletionTimestamp', 'deletionGracePeriodSeconds']),
  namespace: dnsLabel.optional(),
  uid: uid.optional(),
  labels: strings,
  annotations: strings,
  ownerReferences: z.array(owner(fields)).optional(),
}));

/** v1.ObjectMeta with a name, or with `generateName`. */
const metadata = once((fields) =>
  fields({ ...metadataShape(fields), name: name.optional(), generateName: z.string().optional() }).refine(
    (given) => given.name !== undefined || Boolean(given.generateName),
    { path: ['name'], error: 'expected a name, or generateName' },
  ),
);

/** v1.PodTemplateSpec. */
const template = once((fields) =>
  fields({
    metadata: fields({ ...metadataShape(fields), name: z.string().optional() }).optional(),
    spec: podSpecSchema(fields),
  }),
);

const object = (fields: Fields, kind: string, spec: z.ZodType) =>
  fields({
    apiVersion: z.string(),
    kind: z.literal(kind),
    metadata: metadata(fields),
    spec,
    status: anything,
  });

const deployment = once((fields) =>
  fields({
    ...ignored(
      words('selector strategy minReadySeconds revisionHistoryLimit paused progressDeadlineSeconds'),
    ),
    replicas: count.optional(),
    template: template(fields),
  }),
);

const replicaSet = once((fields) =>
  fields({
    ...ignored(words('selector minReadySeconds')),
    replicas: count.optional(),
    template: template(fields),
  }),
);

const statefulSet = once((fields) =>
  fields({
    ...ignored(
      words(`selector podManagementPolicy updateStrategy revisionHistoryLimit minReadySeconds
        persistentVolumeClaimRetentionPolicy`),
    ),
    replicas: count.optional(),
    serviceName: z.string().optional(),
    ordinals: fields({ start: count.optional() }).optional(),
    volumeClaimTemplates: z.array(z.looseObject({ metadata: z.looseObject({ name }) })).optional(),
    template: template(fields),
  }),
);

const daemonSet = once((fields) =>
  fields({
    ...ignored(words('selector updateStrategy minReadySeconds revisionHistoryLimit')),
    template: template(fields),
  }),
);

const job = once((fields) =>
  fields({
    ...ignored(
      words(`activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes
        selector manualSelector ttlSecondsAfterFinished podReplacementPolicy managedBy completions`),
    ),
    parallelism: count.nullish(),
    completionMode: z.string().optional(),
    suspend: z.boolean().nullish(),
    template: template(fields),
  }),
);

const cronJob = once((fields) =>
  fields({
    ...ignored(
      words(`timeZone startingDeadlineSeconds concurrencyPolicy successfulJobsHistoryLimit
        failedJobsHistoryLimit`),
    ),
    schedule: z.string(),
    suspend: z.boolean().nullish(),
    jobTemplate: fields({
      metadata: fields({ ...metadataShape(fields), name: z.string().optional() }).optional(),
      spec: job(fields),
    }),
  }),
);

const schemas: Readonly<Record<WorkloadKind, (fields: Fields) => z.ZodType>> = {
  Pod: (fields) =>
    fields({
      apiVersion: z.literal('v1'),
      kind: z.literal('Pod'),
      metadata: metadata(fields),
      spec: podSpecSchema(fields),
      status: podStatusSchema.optional(),
    }),
  Deployment: (fields) => object(fields, 'Deployment', deployment(fields)),
  ReplicaSet: (fields) => object(fields, 'ReplicaSet', replicaSet(fields)),
  StatefulSet: (fields) => object(fields, 'StatefulSet', statefulSet(fields)),
  DaemonSet: (fields) => object(fields, 'DaemonSet', daemonSet(fields)),
  Job: (fields) => object(fields, 'Job', job(fields)),
  CronJob: (fields) => object(fields, 'CronJob', cronJob(fields)),
};

export const workloadKinds = [
  'Pod',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
] as const;
export type WorkloadKind = (typeof workloadKinds)[number];

/** Objects from a cluster may have fields that are newer than this project: `tolerant` drops them. */
export const workloadSchema = (kind: WorkloadKind, fields: Fields): z.ZodType => schemas[kind](fields);

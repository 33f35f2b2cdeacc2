import { z } from 'zod';
import { envFromSchema, envSchema } from './environment.js';
import { type Fields, ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { lifecycleSchema, oneSuccessProbeSchema, readinessProbeSchema } from './handler.js';
import { dnsLabel } from './names.js';
import { portsSchema } from './ports.js';
import { resizePolicySchema, resourcesSchema } from './resources.js';
import { volumeMountSchema } from './volumes.js';

/** Without a default, because pods and containers have different ones. */
export const restartPolicy = z.enum(['Always', 'OnFailure', 'Never']);

export const id = z.int().min(0);

/** v1.SecurityContext; a container's value overrides its pod's. */
const securityContext = once((fields) =>
  fields({
    runAsUser: id.optional(),
    runAsGroup: id.optional(),
    runAsNonRoot: z.boolean().optional(),
    privileged: z.boolean().optional(),
    readOnlyRootFilesystem: z.boolean().optional(),
    allowPrivilegeEscalation: z.boolean().optional(),
    capabilities: fields({
      add: z.array(z.string()).default([]),
      drop: z.array(z.string()).default([]),
    }).optional(),
    ...ignored(withoutEffect.securityContext),
  }),
);

/** KEP-5307 and KEP-5532: the first rule whose exit codes match decides. */
const restartRule = once((fields) =>
  fields({
    action: z.enum(['Restart', 'RestartAllContainers']),
    exitCodes: fields({
      operator: z.enum(['In', 'NotIn']),
      values: z.array(z.int32()).max(255).default([]),
    }),
  }),
);

const shape = once((fields) => ({
  name: dnsLabel,
  image: z.string().min(1),
  imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
  command: z.array(z.string()).default([]),
  args: z.array(z.string()).default([]),
  workingDir: z.string().default(''),
  env: z.array(envSchema(fields)).default([]),
  envFrom: z.array(envFromSchema(fields)).optional(),
  ports: portsSchema(fields).default([]),
  volumeMounts: z.array(volumeMountSchema(fields)).default([]),
  resources: resourcesSchema(fields).default({ limits: {}, requests: {} }),
  resizePolicy: z.array(resizePolicySchema(fields)).optional(),
  livenessProbe: oneSuccessProbeSchema(fields).optional(),
  readinessProbe: readinessProbeSchema(fields).optional(),
  startupProbe: oneSuccessProbeSchema(fields).optional(),
  lifecycle: lifecycleSchema(fields).optional(),
  terminationMessagePath: z
    .string()
    .default('/dev/termination-log')
    .transform((path) => path || '/dev/termination-log'),
  terminationMessagePolicy: z.enum(['File', 'FallbackToLogsOnError']).default('File'),
  securityContext: securityContext(fields).default({}),
  stdin: z.boolean().default(false),
  stdinOnce: z.boolean().default(false),
  tty: z.boolean().default(false),
  /** `Always` makes an init container a sidecar. In a regular container it overrides the pod's policy (KEP-5307). */
  restartPolicy: restartPolicy.optional(),
  restartPolicyRules: z.array(restartRule(fields)).max(20).default([]),
  ...ignored(withoutEffect.container),
}));

const makeContainerSchema = once((fields) =>
  fields(shape(fields)).superRefine(checkRules).transform(withPullPolicy),
);

/** A named type: otherwise each declaration that uses it would repeat its hundreds of lines. */
export interface ContainerSchema extends ReturnType<typeof makeContainerSchema> {}
/** v1.Container, regular or init, defaulted as the API server does (pkg/apis/core/v1/defaults.go). */
export const containerSchema: (fields: Fields) => ContainerSchema = makeContainerSchema;

const makeEphemeralContainerSchema = once((fields) =>
  fields({
    ...shape(fields),
    targetContainerName: z.string().optional(),
  })
    .superRefine(checkRules)
    .transform(withPullPolicy),
);

export interface EphemeralContainerSchema extends ReturnType<typeof makeEphemeralContainerSchema> {}
/** v1.EphemeralContainer, added to a running pod by `kubectl debug`. It starts once. */
export const ephemeralContainerSchema: (fields: Fields) => EphemeralContainerSchema =
  makeEphemeralContainerSchema;

function checkRules(
  container: { readonly restartPolicyRules: readonly unknown[]; readonly restartPolicy?: string | undefined },
  context: z.core.$RefinementCtx,
): void {
  if (container.restartPolicyRules.length === 0 || container.restartPolicy !== undefined) return;
  const message = 'must be set when restartPolicyRules are used';
  context.addIssue({ code: 'custom', path: ['restartPolicy'], message, input: container.restartPolicy });
}

type PullPolicy = 'Always' | 'IfNotPresent' | 'Never';

const withPullPolicy = <
  C extends { readonly image: string; readonly imagePullPolicy?: PullPolicy | undefined },
>(
  container: C,
) => ({ ...container, imagePullPolicy: container.imagePullPolicy ?? defaultPullPolicy(container.image) });

/** Always for the tag latest (also before a digest) and for images without tag and digest; otherwise IfNotPresent. */
export function defaultPullPolicy(image: string): PullPolicy {
  const [name = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1] ?? (digest === undefined ? 'latest' : '');
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

/** v1.Container, regular or init. */
export type ContainerSpec = Read<typeof containerSchema>;
export type EphemeralContainer = Read<typeof ephemeralContainerSchema>;

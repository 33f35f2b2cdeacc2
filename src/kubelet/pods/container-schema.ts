import { z } from 'zod';
import { isQuantity } from '../../input/quantity.js';
import { FIELDS_FOR_VARIABLES, isFieldForVariables } from '../cri-configs/downward-api.js';
import { withoutEffect } from './fields-without-effect.js';
import { ignored, lifecycleSchema, oneSuccessProbeSchema, readinessProbeSchema } from './handler-schema.js';
import { portsSchema } from './port-schema.js';

/** RFC 1123 label. */
export const dnsLabel = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'expected a DNS label: lower-case letters, digits and "-"')
  .max(63);

/** Restart policy of a pod or a container; without a default, because their defaults differ. */
export const restartPolicy = z.enum(['Always', 'OnFailure', 'Never']);

const quantity = z
  .union([z.string(), z.number()])
  .transform(String)
  .refine(isQuantity, 'expected a quantity such as 100m or 64Mi');

const resources = z
  .strictObject({
    limits: z.record(z.string(), quantity).default({}),
    requests: z.record(z.string(), quantity).default({}),
    ...ignored(withoutEffect.resources),
  })
  .transform(({ limits, requests }) => ({ limits, requests: { ...limits, ...requests } }));

const id = z.int().min(0);

const securityContext = z.strictObject({
  runAsUser: id.optional(),
  runAsGroup: id.optional(),
  runAsNonRoot: z.boolean().optional(),
  privileged: z.boolean().optional(),
  readOnlyRootFilesystem: z.boolean().optional(),
  allowPrivilegeEscalation: z.boolean().optional(),
  capabilities: z
    .strictObject({ add: z.array(z.string()).default([]), drop: z.array(z.string()).default([]) })
    .optional(),
  ...ignored(withoutEffect.securityContext),
});

const fieldPath = z.string().refine(isFieldForVariables, {
  error: `must be one of ${FIELDS_FOR_VARIABLES.join(', ')}, metadata.labels['key'] and metadata.annotations['key']`,
});

const env = z
  .strictObject({
    name: z.string().regex(/^[ -<>-~]+$/, 'expected printable ASCII characters without "="'),
    value: z.string().default(''),
    valueFrom: z
      .strictObject({
        fieldRef: z.strictObject({ apiVersion: z.literal('v1').optional(), fieldPath }).optional(),
        ...ignored(withoutEffect.valueFrom),
      })
      .optional(),
  })
  .superRefine(({ value, valueFrom }, context) => {
    if (value === '' || valueFrom === undefined) return;
    const message = 'cannot be set together with a value';
    context.addIssue({ code: 'custom', path: ['valueFrom'], message, input: valueFrom });
  });

const volumeMount = z.strictObject({
  name: z.string(),
  mountPath: z.string().min(1),
  readOnly: z.boolean().default(false),
  subPath: z
    .string()
    .refine(
      (path) => !path.startsWith('/') && !path.split('/').includes('..'),
      'expected a relative path without ".."',
    )
    .optional(),
  subPathExpr: z.string().optional(),
  ...ignored(withoutEffect.volumeMount),
});

const resizePolicy = z.strictObject({
  resourceName: z.enum(['cpu', 'memory']),
  restartPolicy: z.enum(['NotRequired', 'RestartContainer']),
});

const restartRule = z.strictObject({
  action: z.enum(['Restart', 'RestartAllContainers']),
  exitCodes: z.strictObject({
    operator: z.enum(['In', 'NotIn']),
    values: z.array(z.int32()).max(255).default([]),
  }),
});

/** v1.Container, defaulted as the API server does (pkg/apis/core/v1/defaults.go). */
export const containerSchema = z
  .strictObject({
    name: dnsLabel,
    image: z.string().min(1),
    imagePullPolicy: z.enum(['Always', 'IfNotPresent', 'Never']).optional(),
    command: z.array(z.string()).default([]),
    args: z.array(z.string()).default([]),
    workingDir: z.string().default(''),
    env: z.array(env).default([]),
    ports: portsSchema.default([]),
    volumeMounts: z.array(volumeMount).default([]),
    resources: resources.default({ limits: {}, requests: {} }),
    resizePolicy: z.array(resizePolicy).optional(),
    livenessProbe: oneSuccessProbeSchema.optional(),
    readinessProbe: readinessProbeSchema.optional(),
    startupProbe: oneSuccessProbeSchema.optional(),
    lifecycle: lifecycleSchema.optional(),
    terminationMessagePath: z
      .string()
      .default('/dev/termination-log')
      .transform((path) => path || '/dev/termination-log'),
    terminationMessagePolicy: z.enum(['File', 'FallbackToLogsOnError']).default('File'),
    securityContext: securityContext.default({}),
    stdin: z.boolean().default(false),
    stdinOnce: z.boolean().default(false),
    tty: z.boolean().default(false),
    restartPolicy: restartPolicy.optional(),
    restartPolicyRules: z.array(restartRule).max(20).default([]),
    ...ignored(withoutEffect.container),
  })
  .superRefine(({ restartPolicyRules, restartPolicy }, context) => {
    if (restartPolicyRules.length === 0 || restartPolicy !== undefined) return;
    const message = 'must be set when restartPolicyRules are used';
    context.addIssue({ code: 'custom', path: ['restartPolicy'], message, input: restartPolicy });
  })
  .transform((container) => ({
    ...container,
    imagePullPolicy: container.imagePullPolicy ?? defaultPullPolicy(container.image),
  }));

/** Always for the tag latest (also before a digest) and for images without tag and digest; otherwise IfNotPresent. */
function defaultPullPolicy(image: string): 'Always' | 'IfNotPresent' {
  const [name = '', digest] = image.split('@');
  const tag = /:([^/:]+)$/.exec(name)?.[1] ?? (digest === undefined ? 'latest' : '');
  return tag === 'latest' ? 'Always' : 'IfNotPresent';
}

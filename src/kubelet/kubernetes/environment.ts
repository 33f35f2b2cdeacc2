import { z } from 'zod';
import { type Fields, ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { dataKey, objectName } from './names.js';
import { quantity } from './resources.js';

/** Fields that a variable can refer to (core/validation validEnvDownwardAPIFieldPathExpressions). */
const FIELDS_FOR_VARIABLES: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'spec.nodeName',
  'spec.serviceAccountName',
  'status.hostIP',
  'status.hostIPs',
  'status.podIP',
  'status.podIPs',
];

/** Fields that a file can show (validVolumeDownwardAPIFieldPathExpressions). */
const FIELDS_FOR_FILES: readonly string[] = [
  'metadata.name',
  'metadata.namespace',
  'metadata.uid',
  'metadata.labels',
  'metadata.annotations',
];

export const LABEL_OR_ANNOTATION = /^metadata\.(labels|annotations)\['(.+)'\]$/;

const oneOf = (allowed: readonly string[]) =>
  z.string().refine((path) => allowed.includes(path) || LABEL_OR_ANNOTATION.test(path), {
    error: `must be one of ${allowed.join(', ')}, metadata.labels['key'] and metadata.annotations['key']`,
  });

const fieldRef = (fields: Fields, allowed: readonly string[]) =>
  fields({ apiVersion: z.literal('v1').default('v1'), fieldPath: oneOf(allowed) });

/** v1.ObjectFieldSelector of a file in a volume. */
export const fileFieldRef = once((fields) => fieldRef(fields, FIELDS_FOR_FILES));

/** v1.ResourceFieldSelector. Default: the container that has the variable, in units of 1. */
export const resourceFieldRef = once((fields) =>
  fields({
    resource: z.string().min(1),
    containerName: z.string().optional(),
    divisor: quantity.optional(),
  }),
);

/** v1.ConfigMapKeySelector and v1.SecretKeySelector. */
const keyRef = once((fields) =>
  fields({ name: objectName, key: dataKey, optional: z.boolean().default(false) }),
);

/** v1.EnvVar. `$(NAME)` in the value is expanded. */
export const envSchema = once((fields) =>
  fields({
    name: z.string().regex(/^[ -<>-~]+$/, 'expected printable ASCII characters without "="'),
    value: z.string().default(''),
    valueFrom: fields({
      fieldRef: fieldRef(fields, FIELDS_FOR_VARIABLES).optional(),
      resourceFieldRef: resourceFieldRef(fields).optional(),
      configMapKeyRef: keyRef(fields).optional(),
      secretKeyRef: keyRef(fields).optional(),
      ...ignored(withoutEffect.valueFrom),
    }).optional(),
  }).superRefine(({ value, valueFrom }, context) => {
    if (value === '' || valueFrom === undefined) return;
    const message = 'cannot be set together with a value';
    context.addIssue({ code: 'custom', path: ['valueFrom'], message, input: valueFrom });
  }),
);

const objectRef = once((fields) => fields({ name: objectName, optional: z.boolean().default(false) }));

/** v1.EnvFromSource: turns all keys of an object into variables. */
export const envFromSchema = once((fields) =>
  fields({
    prefix: z.string().default(''),
    configMapRef: objectRef(fields).optional(),
    secretRef: objectRef(fields).optional(),
  }).superRefine(({ configMapRef, secretRef }, context) => {
    if ((configMapRef === undefined) !== (secretRef === undefined)) return;
    context.addIssue({ code: 'custom', message: 'expected exactly one of configMapRef, secretRef' });
  }),
);

export type EnvVar = Read<typeof envSchema>;
export type ResourceFieldRef = Read<typeof resourceFieldRef>;

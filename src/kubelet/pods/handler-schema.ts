import { z } from 'zod';
import { withoutEffect } from './fields-without-effect.js';
import { namedPort, portNumber } from './port-schema.js';

/** Schema entries for fields that are accepted with any value and dropped. */
export const ignored = (names: readonly string[]): Record<string, z.ZodOptional<z.ZodUnknown>> =>
  Object.fromEntries(names.map((name) => [name, z.unknown().optional()]));

const exec = z.strictObject({ command: z.array(z.string()).min(1) });
const tcpSocket = z.strictObject({ host: z.string().optional(), port: namedPort });
const httpGet = z.strictObject({
  path: z
    .string()
    .default('/')
    .transform((path) => (path.startsWith('/') ? path : `/${path}`)),
  port: namedPort,
  host: z.string().optional(),
  scheme: z.enum(['HTTP', 'HTTPS']).default('HTTP'),
  httpHeaders: z.array(z.strictObject({ name: z.string(), value: z.string() })).default([]),
});
const grpc = z.strictObject({ port: portNumber, service: z.string().default('') });

const exactlyOne =
  (...kinds: readonly string[]) =>
  (handler: object, context: z.core.$RefinementCtx) => {
    const given = kinds.filter((kind) => (handler as Record<string, unknown>)[kind] !== undefined);
    if (given.length === 1) return;
    const found = given.length === 0 ? 'none of them' : given.join(' and ');
    context.addIssue({
      code: 'custom',
      message: `expected exactly one of ${kinds.join(', ')}; found ${found}`,
    });
  };

const hook = z
  .strictObject({
    exec: exec.optional(),
    httpGet: httpGet.optional(),
    tcpSocket: tcpSocket.optional(),
    sleep: z.strictObject({ seconds: z.int().min(0) }).optional(),
  })
  .superRefine(exactlyOne('exec', 'httpGet', 'tcpSocket', 'sleep'));

/** Hooks of a container. Unlike probes they support sleep (KEP-3960) and not gRPC. */
export const lifecycleSchema = z.strictObject({
  postStart: hook.optional(),
  preStop: hook.optional(),
  ...ignored(withoutEffect.lifecycle),
});

/** A count or time; 0 means the API server's default. */
const orDefault = (fallback: number) =>
  z
    .int()
    .min(0)
    .default(fallback)
    .transform((given) => (given === 0 ? fallback : given));

/** Defaults of the API server (pkg/apis/core/v1/defaults.go SetDefaults_Probe). */
const probeSchema = z
  .strictObject({
    exec: exec.optional(),
    httpGet: httpGet.optional(),
    tcpSocket: tcpSocket.optional(),
    grpc: grpc.optional(),
    initialDelaySeconds: z.int().min(0).default(0),
    timeoutSeconds: orDefault(1),
    periodSeconds: orDefault(10),
    successThreshold: orDefault(1),
    failureThreshold: orDefault(3),
    terminationGracePeriodSeconds: z.int().min(1).optional(),
  })
  .superRefine(exactlyOne('exec', 'httpGet', 'tcpSocket', 'grpc'));

/** Liveness and startup probes have a success threshold of 1. */
export const oneSuccessProbeSchema = probeSchema.superRefine(({ successThreshold: input }, context) => {
  const message = 'must be 1 for liveness and startup probes';
  if (input !== 1) context.addIssue({ code: 'custom', path: ['successThreshold'], message, input });
});

/** A readiness probe never kills, so it has no grace period. */
export const readinessProbeSchema = probeSchema.superRefine((probe, context) => {
  const input = probe.terminationGracePeriodSeconds;
  const path = ['terminationGracePeriodSeconds'];
  if (input !== undefined) {
    context.addIssue({ code: 'custom', path, message: 'must not be set for readiness probes', input });
  }
});

import { z } from 'zod';
import { ignored, once, type Read } from './fields.js';
import { withoutEffect } from './fields-without-effect.js';
import { namedPort, portNumber } from './ports.js';

const httpGet = once((fields) =>
  fields({
    path: z
      .string()
      .default('/')
      .transform((path) => (path.startsWith('/') ? path : `/${path}`)),
    port: namedPort,
    host: z.string().optional(),
    scheme: z.enum(['HTTP', 'HTTPS']).default('HTTP'),
    httpHeaders: z.array(fields({ name: z.string(), value: z.string() })).default([]),
  }),
);

const actions = once((fields) => ({
  exec: fields({ command: z.array(z.string()).min(1) }).optional(),
  httpGet: httpGet(fields).optional(),
  tcpSocket: fields({ host: z.string().optional(), port: namedPort }).optional(),
}));
const grpc = once((fields) => fields({ port: portNumber, service: z.string().default('') }).optional());
const sleep = once((fields) => fields({ seconds: z.int().min(0) }).optional());

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

const hook = once((fields) =>
  fields({ ...actions(fields), sleep: sleep(fields) }).superRefine(
    exactlyOne('exec', 'httpGet', 'tcpSocket', 'sleep'),
  ),
);

/** v1.Lifecycle. Unlike probes, hooks support sleep (KEP-3960) and not gRPC. */
export const lifecycleSchema = once((fields) =>
  fields({
    postStart: hook(fields).optional(),
    preStop: hook(fields).optional(),
    ...ignored(withoutEffect.lifecycle),
  }),
);

/** A count or time; 0 means the API server's default. */
const orDefault = (fallback: number) =>
  z
    .int()
    .min(0)
    .default(fallback)
    .transform((given) => (given === 0 ? fallback : given));

/** Defaults of the API server (pkg/apis/core/v1/defaults.go SetDefaults_Probe). */
const probeSchema = once((fields) =>
  fields({
    ...actions(fields),
    grpc: grpc(fields),
    initialDelaySeconds: z.int().min(0).default(0),
    timeoutSeconds: orDefault(1),
    periodSeconds: orDefault(10),
    successThreshold: orDefault(1),
    failureThreshold: orDefault(3),
    terminationGracePeriodSeconds: z.int().min(1).optional(),
  }).superRefine(exactlyOne('exec', 'httpGet', 'tcpSocket', 'grpc')),
);

/** Liveness and startup probes have a success threshold of 1. */
export const oneSuccessProbeSchema = once((fields) =>
  probeSchema(fields).superRefine(({ successThreshold: input }, context) => {
    const message = 'must be 1 for liveness and startup probes';
    if (input !== 1) context.addIssue({ code: 'custom', path: ['successThreshold'], message, input });
  }),
);

/** A readiness probe never kills, so it has no grace period. */
export const readinessProbeSchema = once((fields) =>
  probeSchema(fields).superRefine((probe, context) => {
    const input = probe.terminationGracePeriodSeconds;
    const path = ['terminationGracePeriodSeconds'];
    if (input !== undefined) {
      context.addIssue({ code: 'custom', path, message: 'must not be set for readiness probes', input });
    }
  }),
);

const anyAction = once((fields) => fields({ ...actions(fields), grpc: grpc(fields), sleep: sleep(fields) }));

/** Exactly one action is set (`grpc` only in probes, `sleep` only in hooks). */
export type Handler = Read<typeof anyAction>;
/** v1.HTTPGetAction; the port can be the name of a container port. */
export type HttpGet = Read<typeof httpGet>;
/** v1.Probe: thresholds count consecutive results, times are seconds. */
export type Probe = Read<typeof probeSchema>;

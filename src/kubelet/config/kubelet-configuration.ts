import { posix } from 'node:path';
import { z } from 'zod';
import { parseDuration } from '../../base/input/duration.js';
import { memoryBytes } from '../../base/input/quantity.js';
import { durationSchema } from '../../base/input/schemas.js';
import { InputError, parseYaml } from '../../base/input/yaml.js';
import { once, strict } from '../kubernetes/fields.js';
import { fieldsWithoutEffect } from './fields-without-effect.js';

/** Supported KubeletConfiguration fields with defaults applied. Durations are in ms. */
export interface KubeletConfig {
  /** Empty if only the command line sets it. */
  readonly containerRuntimeEndpoint: string;
  /** Default: the runtime's endpoint. */
  readonly imageServiceEndpoint: string;
  readonly staticPodPath: string;
  /** Interval for reading the static pod directory even if no change was reported. */
  readonly fileCheckFrequency: number;
  readonly syncFrequency: number;
  /** Deadline of most CRI calls; 2 minutes by default. RunPodSandbox gets twice that. */
  readonly runtimeRequestTimeout: number;
  /** 0 disables the read-only server. */
  readonly readOnlyPort: number;
  readonly address: string;
  readonly podLogsDir: string;
  /** Interval for computing the node's status; 10 s by default. */
  readonly nodeStatusUpdateFrequency: number;
  /** Interval for sending an unchanged status; 5 minutes by default, or the update frequency if that is set. */
  readonly nodeStatusReportFrequency: number;
  /** Seconds, not ms; 40 by default. The lease is renewed every quarter of it. */
  readonly nodeLeaseDurationSeconds: number;
  /** Bytes. */
  readonly containerLogMaxSize: number;
  /** Per container, including the current file; 5 by default. */
  readonly containerLogMaxFiles: number;
  /** 10 s by default. */
  readonly containerLogMonitorInterval: number;
  /** Undefined unless set: the default depends on the gate KubeletCrashLoopBackOffMax. */
  readonly maxContainerRestartPeriod: number | undefined;
  /** Maximum number of parallel image pulls; 1 unless serializeImagePulls or maxParallelImagePulls changes it. */
  readonly parallelPulls: number;
  readonly featureGates: Readonly<Record<string, boolean>>;
}

const bytes = z.union([z.string(), z.number()]).transform((given, context) => {
  const amount = memoryBytes(String(given));
  if (amount !== undefined) return Number(amount);
  context.addIssue({ code: 'custom', message: 'expected a quantity such as 10Mi', input: given });
  return z.NEVER;
});

/** 0 means the kubelet's default (v1beta1/defaults.go). */
const durationOr = (text: string) => {
  const fallback = parseDuration(text) ?? 0;
  return durationSchema.default(fallback).transform((given) => (given === 0 ? fallback : given));
};

/** Empty means the kubelet's default. */
const textOr = (fallback: string) =>
  z
    .string()
    .default(fallback)
    .transform((given) => given || fallback);

/** ASCII without `..`, `.`, double slashes and a trailing slash (validation.go, util/filesystem IsPathClean). */
const isCleanPath = (path: string): boolean =>
  path.startsWith('/') && /^[\0-\x7f]*$/.test(path) && path === posix.resolve(path);

const port = z.int().min(0).max(65_535);

const honored = {
  containerRuntimeEndpoint: z.string().default(''),
  imageServiceEndpoint: z.string().default(''),
  staticPodPath: z.string().default(''),
  fileCheckFrequency: durationOr('20s'),
  syncFrequency: durationOr('1m'),
  runtimeRequestTimeout: durationOr('2m'),
  readOnlyPort: port.default(0),
  address: textOr('0.0.0.0'),
  podLogsDir: textOr('/var/log/pods').refine(isCleanPath, 'expected a normalized absolute path in ASCII'),
  nodeStatusUpdateFrequency: durationSchema.default(0),
  nodeStatusReportFrequency: durationSchema.default(0),
  nodeLeaseDurationSeconds: z
    .int()
    .min(0)
    .default(0)
    .transform((given) => given || 40),
  containerLogMaxSize: bytes.default(10 * 2 ** 20),
  containerLogMaxFiles: z.int().min(2, 'expected at least 2, as in the kubelet').default(5),
  containerLogMonitorInterval: durationSchema
    .default(10_000)
    .refine((given) => given >= 3000, 'expected at least 3s, as in the kubelet'),
  crashLoopBackOff: z
    .strictObject({
      maxContainerRestartPeriod: durationSchema
        .refine((given) => given >= 1000 && given <= 300_000, 'expected 1s to 300s')
        .optional(),
    })
    .default({}),
  serializeImagePulls: z.boolean().optional(),
  maxParallelImagePulls: z.int().min(1, 'expected at least 1').nullish(),
  featureGates: z.record(z.string(), z.boolean()).default({}),
};

const schema = once((fields) =>
  fields({
    apiVersion: z.literal('kubelet.config.k8s.io/v1beta1'),
    kind: z.literal('KubeletConfiguration'),
    ...honored,
    ...fieldsWithoutEffect,
  }).superRefine(({ serializeImagePulls, maxParallelImagePulls: input }, context) => {
    if (serializeImagePulls !== true || (input ?? 1) === 1) return;
    const message = 'cannot be larger than 1 unless serializeImagePulls is false';
    context.addIssue({ code: 'custom', path: ['maxParallelImagePulls'], message, input });
  }),
);

export interface LoadedKubeletConfig {
  readonly config: KubeletConfig;
  /** Valid in Kubernetes, without effect here. */
  readonly ignored: readonly string[];
}

/** Parses YAML or JSON. Throws InputError with the line, the field and the closest valid name. */
export function parseKubeletConfig(text: string, file: string, unknown = strict): LoadedKubeletConfig {
  const parsed = parseYaml(text, schema(unknown), file);
  const { apiVersion: _version, kind: _kind, crashLoopBackOff, ...others } = parsed;
  const { serializeImagePulls, maxParallelImagePulls, ...fields } = others;
  const ignored = Object.keys(fieldsWithoutEffect)
    .filter((field) => (fields as Record<string, unknown>)[field] !== undefined)
    .sort();
  const known = Object.fromEntries(Object.entries(fields).filter(([field]) => field in honored));
  const { nodeStatusUpdateFrequency: update, nodeStatusReportFrequency: report } = fields;
  const config = {
    ...known,
    nodeStatusUpdateFrequency: update || 10_000,
    nodeStatusReportFrequency: report || update || 300_000,
    maxContainerRestartPeriod: crashLoopBackOff.maxContainerRestartPeriod,
    parallelPulls: parallelPulls(serializeImagePulls, maxParallelImagePulls ?? undefined),
  } as KubeletConfig;
  return {
    config: {
      ...config,
      imageServiceEndpoint: config.imageServiceEndpoint || config.containerRuntimeEndpoint,
    },
    ignored,
  };
}

/** One at a time unless the configuration requests more (v1beta1/defaults.go). */
function parallelPulls(serialize: boolean | undefined, most: number | undefined): number {
  if (serialize ?? (most ?? 1) === 1) return 1;
  return most ?? Number.POSITIVE_INFINITY;
}

/** The kubelet rejects a configured maximum while its gate is off (apis/config/validation). */
export function checkRestartPeriod(config: KubeletConfig, gateOn: boolean, file: string): void {
  if (config.maxContainerRestartPeriod === undefined || gateOn) return;
  throw new InputError([
    `${file}: crashLoopBackOff.maxContainerRestartPeriod: FeatureGate KubeletCrashLoopBackOffMax not enabled, CrashLoopBackOff.MaxContainerRestartPeriod must not be set; enable the gate or use kubelet version 1.35 or later`,
  ]);
}

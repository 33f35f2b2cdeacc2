import { z } from 'zod';
import { isQuantity } from '../../../base/input/quantity.js';
import { durationSchema, wholeNumberSchema } from '../../../base/input/schemas.js';
import { DEFAULT_KUBELET_VERSION } from '../../../kubelet/config/versions.js';
import { labelValue, qualifiedName } from '../../../kubelet/kubernetes/names.js';
import { runtimeProfileSchema } from '../../../runtime/profiles/index.js';
import { FEATURE_GATES_HELP, featureGatesSchema } from '../../options/kubelet-settings.js';
import { withoutPatch } from '../../options/kubelet-versions.js';
import { memoryFileShape, unknownImagesSchema } from '../../options/memory-settings.js';
import { controlShape, keepShape, networkShape, processShape } from '../../options/server-settings.js';
import { defineSettings, flag, type SettingsOf } from '../../options/settings.js';
import { keepWithoutEffect } from '../../options/without-effect.js';
import { outputFileSchema } from '../../output/output-file.js';
import { logLevels } from '../../terminal/logger.js';

/** `a=1,b=2`, or a map in the file. */
const pairs = <S extends z.ZodType<string>>(value: S, key: z.ZodType<string, string> = z.string()) =>
  z.preprocess(
    (given, context) => {
      if (typeof given !== 'string') return given;
      const entries = given.split(',').map((pair) => /^\s*([^=]+)=(.*?)\s*$/.exec(pair));
      if (given === '') return {};
      if (entries.some((entry) => entry === null)) {
        context.addIssue({
          code: 'custom',
          message: 'expected NAME=VALUE pairs, separated by commas',
          input: given,
        });
        return z.NEVER;
      }
      return Object.fromEntries(entries.map((entry) => [entry?.[1], entry?.[2]]));
    },
    z.record(key, value),
  );

const quantity = z.string().refine(isQuantity, 'expected a quantity such as 16, 500m or 64Gi');

const effects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute'] as const;
/** `key=value:Effect` as in kubectl and the kubelet, or a mapping in the file. */
const taint = z.preprocess(
  (given, context) => {
    if (typeof given !== 'string') return given;
    const match = /^\s*([^=:]+)(?:=([^:]*))?:(\w+)\s*$/.exec(given);
    if (match !== null) return { key: match[1], value: match[2], effect: match[3] };
    context.addIssue({ code: 'custom', message: 'expected KEY=VALUE:EFFECT', input: given });
    return z.NEVER;
  },
  z.strictObject({ key: z.string(), value: z.string().optional(), effect: z.enum(effects) }),
);

const taints = z.preprocess(
  (given) =>
    Array.isArray(given)
      ? given.flatMap((each) => (typeof each === 'string' ? each.split(',') : [each]))
      : given,
  z.array(taint),
);

const shape = {
  kubeconfig: z
    .string()
    .optional()
    .describe(
      'kubeconfig file (default: KUBECONFIG, then ~/.kube/config, then the service account of the pod that this process runs in)',
    ),
  context: z.string().optional().describe('context of the kubeconfig (default: its current one)'),
  identity: z
    .enum(['node', 'account'])
    .default('node')
    .describe(
      'identity of the nodes at the API server: a user with a certificate of its cluster for each, or the account of the kubeconfig for all',
    ),
  wait: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .default(true)
    .describe('print the ready line when the first node is registered; false: when the kubelets run'),
  nodes: wholeNumberSchema(1, 10_000).default(1).describe('number of nodes'),
  name: z
    .string()
    .regex(/^[a-z0-9.{}-]+$/, 'expected a DNS name in which {n} is the number of the node')
    .max(240)
    .default('mock-{n}')
    .describe('name of the nodes; {n} is their number'),
  first: wholeNumberSchema(0, 1_000_000).default(0).describe('number of the first node'),
  replica: z
    .string()
    .optional()
    .describe(
      'name of this replica of a StatefulSet, such as mockri-3: its nodes follow those of replicas 0 to 2',
    ),
  labels: pairs(labelValue, qualifiedName)
    .default({})
    .describe('labels of the nodes, NAME=VALUE separated by commas'),
  annotations: pairs(z.string(), qualifiedName)
    .default({})
    .describe('annotations of the nodes, NAME=VALUE separated by commas'),
  taints: taints.default([]).describe('taints of the nodes, KEY=VALUE:EFFECT separated by commas'),
  capacity: pairs(quantity)
    .default({})
    .describe(
      'resources of each node, NAME=QUANTITY separated by commas (default: cpu=16,memory=64Gi,pods=110,ephemeral-storage=200Gi)',
    ),
  allocatable: pairs(quantity).default({}).describe('the part of them that pods may use (default: all)'),
  'node-ip': z
    .ipv4({ error: 'expected an IPv4 address' })
    .optional()
    .describe('address of the nodes (default: this machine’s)'),
  'hostname-address': z
    .enum(['name', 'none'])
    .default('name')
    .describe('address of type Hostname: the node’s name, which some API servers resolve, or none'),
  bind: flag.default(false).describe('bind pods without a node to these nodes, where no scheduler runs'),
  collect: flag
    .default(false)
    .describe(
      'if no controllers run: mark a node that is down, delete pods whose node or owners are gone, and before them owners whose own owners are gone; other objects stay',
    ),
  'service-account-tokens': z
    .enum(['cluster', 'local'])
    .default('cluster')
    .describe(
      'who makes the tokens of service accounts and the ConfigMap kube-root-ca.crt: the cluster, or this process, where no controllers run',
    ),
  clock: z
    .string()
    .regex(/^(real|fast:([1-9]\d{0,2}|1000))$/, 'expected real, or fast:1 to fast:1000')
    .default('real')
    .describe(
      'time of the nodes: real, or fast:N for N times as fast, in which POST /v1/clock can skip ahead; the API server stays in real time',
    ),
  'kubelet-port': wholeNumberSchema(0, 65_535)
    .default(0)
    .describe(
      'port of the first node’s kubelet server; the others use the following ports; 0 selects free ones',
    ),
  'kubelet-shared-port': flag
    .default(false)
    .describe('one port for all nodes; requests that name no node return the data of all nodes'),
  'kubelet-address': z.string().default('0.0.0.0').describe('address that the kubelet servers listen on'),
  'kubelet-certificate': z
    .enum(['cluster', 'self-signed'])
    .default('cluster')
    .describe('signer of the kubelet server’s certificate'),
  'kubelet-tls-cert': z.string().optional().describe('certificate of the kubelet server (PEM file)'),
  'kubelet-tls-key': z.string().optional().describe('private key of that certificate (PEM file)'),
  'kubelet-anonymous': flag.default(false).describe('allow anonymous requests to the kubelet server'),
  'provider-id': z.string().optional().describe('spec.providerID of the nodes; {n} is the number'),
  'kubelet-version': z
    .string()
    .transform(withoutPatch)
    .default(DEFAULT_KUBELET_VERSION)
    .describe('kubelet version to imitate'),
  'feature-gates': featureGatesSchema.optional().describe(FEATURE_GATES_HELP),
  'kubelet-config': z.string().optional().describe('KubeletConfiguration file for all nodes'),
  'pod-manifest-path': z
    .string()
    .optional()
    .describe(
      'directory with manifests of static pods, or one file; {n} is the number of the node (default: staticPodPath of --kubelet-config)',
    ),
  profile: runtimeProfileSchema.default('strict').describe('runtime to imitate'),
  'root-dir': z
    .string()
    .optional()
    .describe(
      'directory for logs and volumes (default: a temporary one for logs, removed at the end; volumes are in memory)',
    ),
  faults: z.array(z.string()).default([]).describe('file with fault rules, reapplied on changes; repeatable'),
  record: outputFileSchema
    .optional()
    .describe('record all nodes into this file; compressed when it ends in .gz'),
  ...keepShape,
  ...controlShape,
  seed: wholeNumberSchema(0)
    .optional()
    .describe('seed of all random numbers; overrides those in fault files'),
  'kube-api-qps': wholeNumberSchema(1, 100_000)
    .default(500)
    .describe('requests per second to the API server, for all nodes together'),
  'kube-api-burst': wholeNumberSchema(1, 100_000)
    .default(1000)
    .describe('requests that may be sent together after a pause'),
  'pull-latency': durationSchema.default(20).describe('duration of an image pull'),
  'unknown-images': unknownImagesSchema,
  ...networkShape,
  ...processShape,
  'log-level': z.enum(logLevels).default('info').describe('debug logs what each kubelet does'),
} as const;

const settings = defineSettings(shape, { version: z.literal(1).default(1), ...memoryFileShape });

/** All settings of `mockri node`, with defaults. */
export interface NodeFlags extends SettingsOf<typeof settings> {
  /** Sentences about ineffective variables and keys of the file. */
  readonly withoutEffect: readonly string[];
}

/** Adds the options of `mockri node`. */
export const { add: addNodeSettings } = settings;

/** Reads options, environment variables and the file. Throws InputError, also for options without effect. */
export function readNodeSettings(...given: Parameters<typeof settings.read>): NodeFlags {
  const { values, sources } = settings.read(...given);
  return { ...values, withoutEffect: keepWithoutEffect(values.record, sources) };
}

/** Contents of a settings file (`mockri node --config FILE`). */
export const nodeFileSchema = settings.file;

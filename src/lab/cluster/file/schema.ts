import { z } from 'zod';
import { durationSchema, signedDurationSchema } from '../../../base/input/schemas.js';
import { kubeletVersions } from '../../../kubelet/config/versions.js';
import { modulePackageSchema } from '../../../kubelet/hosts/virtual/build/cache.js';

const name = z
  .string()
  .regex(/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/, 'expected a name of lower-case letters, digits and "-"');

const resource = z
  .string()
  .regex(
    /^[a-z0-9]+([.][-a-z0-9.]+)?(\/[a-z]+)?$/,
    'expected a resource such as "pods" or "deployments.apps"',
  )
  .describe('Plural name, with its group or without: `pods`, `deployments.apps`, `pods/status`.');

/** Programs of the control plane, in the order in which they start. */
export const controlPlane = ['etcd', 'kube-apiserver', 'kube-controller-manager', 'kube-scheduler'] as const;

/** Names of a cluster's nodes: `node-1`, `node-2`. */
export const nodeNames = ({ nodes }: ClusterScenario['cluster']): readonly string[] =>
  Array.from({ length: nodes?.thin ?? 0 }, (_, index) => `node-${index + 1}`);

const OWN_VARIABLES = /^(KUBECONFIG|HOME|PATH|TMPDIR|MOCKRI_.*)$/;

/** In ms. Go's times end in 2262, and those of programs are after 1970. */
const MOST_AHEAD = 87_600 * 3_600_000;

/** What the kernel takes as an argument or a variable's value. */
const argument = z.string().refine((given) => !given.includes('\0'), "a program can't be given a zero byte");

const program = z
  .strictObject({
    name,
    program: z
      .string()
      .optional()
      .describe('Path of a program that was built for virtual time, relative to the scenario.'),
    module: modulePackageSchema
      .optional()
      .describe('A package of the module proxy, as `mockri kubelet-build --module` built it.'),
    args: z.array(argument).default([]).describe('`$(KUBECONFIG)` is the path of its kubeconfig.'),
    env: z
      .record(
        z
          .string()
          .regex(/^[A-Za-z_]\w*$/, 'expected the name of a variable')
          .refine((given) => !OWN_VARIABLES.test(given), 'Mockri sets this variable itself'),
        argument,
      )
      .default({})
      .describe('Its environment, such as `WATCH_NAMESPACE: default`, without that of this command.'),
    ahead: signedDurationSchema
      .refine((given) => Math.abs(given) <= MOST_AHEAD, 'expected at most 10 years (87600h) ahead or behind')
      .prefault('0s')
      .describe('How far its clock is ahead of the others, such as `30s`; `-30s`: behind.'),
    manifests: z
      .array(z.string())
      .default([])
      .describe('Files and directories of objects that exist before it starts, such as its CRDs.'),
  })
  .refine((given) => (given.program === undefined) !== (given.module === undefined), {
    message: 'expected either "program" or "module"',
  });

export const stepActions = ['apply', 'delete', 'patch', 'kill', 'start', 'pause', 'resume'] as const;

const step = z
  .strictObject({
    at: durationSchema,
    apply: z.string().optional().describe('File of objects, relative to the scenario; server-side apply.'),
    delete: z.string().optional().describe('Such as `pods/web-1`, or `deployments.apps/web`.'),
    patch: z
      .strictObject({ object: z.string(), with: z.record(z.string(), z.unknown()) })
      .optional()
      .describe('A JSON merge patch.'),
    namespace: z
      .string()
      .default('default')
      .describe('Of `delete` and `patch`, and of applied objects without one.'),
    kill: name
      .optional()
      .describe('Kills a program, or the kubelet of a node such as `node-1`; it stays down until `start`.'),
    start: name.optional(),
    pause: name
      .optional()
      .describe('Stops a program, as SIGSTOP does, until `resume`; its connections stay open.'),
    resume: name.optional(),
  })
  .refine((given) => stepActions.filter((action) => given[action] !== undefined).length === 1, {
    message: `expected exactly one of ${stepActions.join(', ')}`,
  });

export const verbs = ['get', 'list', 'create', 'update', 'patch', 'delete', 'deletecollection'] as const;

const match = z
  .strictObject({
    program: name.describe('Name of the program or node that sends the request.'),
    watch: resource.optional().describe('Events that the program watches.'),
    resource: resource.optional(),
    verb: z
      .enum([...verbs, 'write'])
      .optional()
      .describe('`write`: any that changes objects.'),
    name: z.string().optional().describe('Name of the object.'),
  })
  .refine(
    (given) => given.watch === undefined || (given.resource ?? given.verb ?? given.name) === undefined,
    {
      message: '"watch" can be combined only with "program"',
    },
  );

const when = z.strictObject({
  after: z.int().min(0).default(0).describe('Lets this many pass first.'),
  times: z.int().min(1).optional().describe('Applies at most this often.'),
  during: z
    .strictObject({ from: durationSchema.default(0), for: durationSchema.optional() })
    .optional()
    .describe('Applies only in this span.'),
});

/** In ms: then the API server compacts etcd. */
export const MOST_STALE = 300_000;

const actions = {
  delay: durationSchema.describe(
    'The request reaches the API server later, or the event the program; order is kept.',
  ),
  error: z
    .union([400, 403, 404, 409, 410, 429, 500, 503, 504].map((code) => z.literal(code)))
    .describe('The request is refused with this status; 410 makes the program list again.'),
  loseReply: z.literal(true).describe('The API server acts, and the connection breaks before its reply.'),
  disconnect: durationSchema.describe(
    'The watch breaks before the event, and lists and watches of the resource fail for this long.',
  ),
  repeat: z.literal(true).describe('The program gets the event twice.'),
  pause: durationSchema.describe(
    'Stops the program for this long, as SIGSTOP does, when the API server has got the request; of several pauses, the one that ends last counts.',
  ),
  stale: durationSchema
    .refine((given) => given <= MOST_STALE, 'expected at most 5m, which is what etcd keeps')
    .describe('Gets, lists and watches of the resource are as of an API server that is so far behind.'),
  kill: z
    .enum(['before', 'after'])
    .describe(
      'Kills the program before the API server gets the request, or after it has acted; it restarts at once.',
    ),
} as const;

export const faultSchema = z
  .strictObject({
    name,
    match,
    when: when.prefault({}),
    then: z
      .strictObject(actions)
      .partial()
      .refine((given) => Object.keys(given).length === 1, {
        message: `expected exactly one of ${Object.keys(actions).join(', ')}`,
      }),
  })
  .refine(
    ({ match: { resource = '/', verb = 'get' }, then }) =>
      then.stale === undefined || (!resource.includes('/') && ['get', 'list'].includes(verb)),
    { path: ['match'], message: '"stale" needs a "resource" such as "pods"; "verb" can be get or list' },
  )
  .superRefine(({ match: { watch }, then }, context) => {
    const [action = ''] = Object.keys(then);
    const allowed =
      watch === undefined
        ? ['delay', 'error', 'loseReply', 'pause', 'stale', 'kill']
        : ['delay', 'error', 'disconnect', 'repeat'];
    if (action !== '' && !allowed.includes(action))
      context.addIssue({
        code: 'custom',
        path: ['then', action],
        message: `not for ${watch === undefined ? 'requests' : 'a watch'}; allowed: ${allowed.join(', ')}`,
        input: then,
      });
  });

const count = z.strictObject({
  count: resource,
  namespace: z.string().optional().describe('Default: all namespaces.'),
  selector: z.string().optional().describe('Label selector, such as `app=web`.'),
});

/** A file for `mockri cluster`, version 1. Times count from when the control plane and the programs have started. */
export const clusterScenarioSchema = z.strictObject({
  version: z.literal(1),
  title: z.string().default(''),
  seed: z.int().min(1).default(1).describe('Of the random numbers of all programs.'),
  cluster: z.strictObject({
    kubernetes: z.enum(kubeletVersions).describe('Version of the control plane.'),
    args: z
      .partialRecord(z.enum(controlPlane), z.array(z.string()))
      .default({})
      .describe('More arguments of programs of the control plane.'),
    nodes: z
      .strictObject({ thin: z.int().min(1).max(100).describe('This many, each with a thin kubelet.') })
      .optional()
      .describe('Nodes `node-1`, `node-2`, … and a scheduler; without them, no pod runs.'),
    programs: z.array(program).default([]),
  }),
  show: z.array(resource).default(['pods']).describe('Resources whose changes are printed.'),
  timeline: z.array(step).default([]),
  faults: z.array(faultSchema).default([]).describe('What happens to requests to the API server.'),
  expect: z
    .strictObject({
      never: z
        .array(count.extend({ above: z.int().min(0).optional(), below: z.int().min(0).optional() }))
        .default([])
        .describe('Counts objects that are not being deleted, at all times.'),
      end: z
        .array(count.extend({ is: z.int().min(0) }))
        .default([])
        .describe('Counts them at the end.'),
    })
    .prefault({}),
  until: durationSchema,
});

/** With defaults. Durations are in ms. */
export type ClusterScenario = z.output<typeof clusterScenarioSchema>;
export type ClusterFault = ClusterScenario['faults'][number];
/** As written. */
export type FaultText = z.input<typeof faultSchema>;
export type ClusterStep = ClusterScenario['timeline'][number];
export type ProgramEntry = ClusterScenario['cluster']['programs'][number];
export type Counted = z.output<typeof count>;

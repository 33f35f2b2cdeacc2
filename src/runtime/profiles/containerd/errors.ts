import type { CriError, ErrorKind } from '../../../cri/errors.js';
import type { ContainerMetadata, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import { referenceFault } from '../../../cri/reference-fault.js';
import type { CodeName } from '../../../cri/status-code.js';
import { type Answers, answerFrom } from '../answers.js';
import { streamingRpcs } from '../codes.js';
import type { Answer } from '../profile.js';
import { pullAnswer } from '../pull-failures.js';
import { UNMADE_ID } from '../unmade-id.js';
import { NO_LOG } from './log-fault.js';

/** What 2.3 and 2.4 say differently. */
export interface ErrorTexts {
  /** Why there are no stats of a sandbox without a cgroup parent. */
  readonly noCgroup: (id: string) => string;
  /** The text before the one about an absent image. */
  readonly absentImage: string;
}

/** Standard Go errors have no code: gRPC turns them into UNKNOWN. */
const CODES: Readonly<Record<ErrorKind, CodeName>> = {
  'not-found': 'NOT_FOUND',
  'wrong-state': 'UNKNOWN',
  conflict: 'UNKNOWN',
  invalid: 'UNKNOWN',
  unsupported: 'UNIMPLEMENTED',
  unavailable: 'UNKNOWN',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  exhausted: 'RESOURCE_EXHAUSTED',
  denied: 'UNKNOWN',
  internal: 'UNKNOWN',
};

export function answerOf(
  method: string,
  { kind, message, problem }: CriError,
  request: object,
  texts: ErrorTexts,
): Answer {
  if (problem !== undefined) return answerFrom(answers, problem, { method, message, request, texts });
  const isChecked = kind === 'invalid' && streamingRpcs.has(method);
  const text = method === 'Attach' ? message.replace('stdout, or stderr', 'stdout, and stderr') : message;
  return { code: isChecked ? 'INVALID_ARGUMENT' : CODES[kind], text };
}

interface Context {
  readonly method: string;
  readonly message: string;
  readonly request: object;
  readonly texts: ErrorTexts;
}

const answers: Answers<Context> = {
  'unknown-id': ({ id }, { method }) => ({ code: 'NOT_FOUND', text: `${lookup(method, id)}: not found` }),
  'empty-id': ({ id }, { method }) => `${lookup(method, id)}: prefix can't be empty`,
  'ambiguous-id': ({ id }, { method }) =>
    `${lookup(method, id)}: Multiple IDs found with provided prefix: ${id}`,
  'wrong-state': ({ id, state }, { method, request }) =>
    method === 'PodSandboxStats'
      ? { code: 'UNAVAILABLE', text: `${notDecoded(request)}: ${notReady(id)}` }
      : { code: 'UNKNOWN', text: stateText(method, id, state) },
  busy: ({ id, state }, { method }) => busy(method, id, state),
  'name-taken': ({ holder }, { request }) => ({
    code: 'FAILED_PRECONDITION',
    text: nameTaken(holder, request as NamedRequest),
  }),
  'no-config': ({ object }) => `${object} config must include metadata`,
  'no-metadata': ({ object }) => `${object} config must include metadata`,
  'unknown-handler': ({ handler }) =>
    `unable to get OCI runtime for sandbox "${UNMADE_ID}": no runtime for "${handler}" is configured`,
  'group-without-user': ({ group }, { method }) => {
    const before =
      method === 'RunPodSandbox'
        ? `${NO_SANDBOX}failed to generate sandbox container spec options`
        : 'failed to get container spec opts';
    return `${before}: failed to generate user string: user group "${group}" is specified without user`;
  },
  'absent-image': ({ image, mounted }, { texts }) => {
    // An empty name is a prefix of every image's id.
    if (image === '') return 'failed to resolve image "": ambiguous digest string';
    const before = mounted ? 'failed to mount image volume: ' : texts.absentImage;
    return { code: 'NOT_FOUND', text: `${before}failed to resolve image "${image}": not found` };
  },
  'failed-pull': (problem) => {
    const { code, text } = pullAnswer('containerd', problem);
    // The resolver asks Docker Hub under another name.
    const asked = text.replace('https://docker.io/', 'https://registry-1.docker.io/');
    return { code, text: `failed to pull and unpack image "${problem.image}": ${asked}` };
  },
  'start-failed': ({ text }) => runcText(text),
  'no-command': (_, { method, message }) => (method === 'ExecSync' ? NO_COMMAND : message),
  // The prefix of every image id, where containerd looks for an id.
  'no-image': (_, { method }) =>
    method === 'PullImage' ? unparsed('') : 'can not resolve "" locally: ambiguous digest string',
  'writable-mount': ({ hostPath }) =>
    noSpec(
      `failed to generate spec: recursive read-only mount conflicts with RW mount (hostPath="${hostPath}")`,
    ),
  'malformed-image': ({ image }) => unparsed(image),
  'unprivileged-sandbox': () =>
    noSpec('failed to generate spec opts: no privileged container allowed in sandbox'),
  'unknown-user': () =>
    'failed to create containerd container: mount callback failed on /var/lib/containerd/tmpmounts/containerd-mount1: no users found',
  'seccomp-profile': ({ path }) =>
    `failed to create containerd container: cannot load seccomp profile "${path}": open ${path}: no such file or directory`,
  'id-mappings': ({ kind, count }) =>
    `failed to create network namespace for sandbox "${UNMADE_ID}": required only one ${kind} mapping, but got ${count} ${kind} mapping(s)`,
  'malformed-cidr': ({ cidr }) => `get routes: invalid CIDR address: ${cidr}`,
  'no-cgroup': ({ ids }, context) => noCgroup(context, ids),
};

/** The text before the reason, when a sandbox gets no user. */
export const NO_SANDBOX = `failed to start sandbox "${UNMADE_ID}": `;

export const noSpec = (reason: string): string =>
  `failed to generate container "${UNMADE_ID}" spec: ${reason}`;

/** containerd measures a sandbox by its cgroup parent. */
function noCgroup({ method, request, texts }: Context, ids: readonly string[]): string {
  const errors = ids.map((id) => {
    return { id, text: `failed getting metrics for sandbox ${id}: ${texts.noCgroup(id)}` };
  });
  if (method === 'PodSandboxStats') return `${notDecoded(request)}: ${errors[0]?.text}`;
  return errors
    .map(({ id, text }) => `failed to decode sandbox container metrics for sandbox "${id}": ${text}`)
    .join('\n');
}

/** The text of runc 1.1 in Debian 12: its Go version reported no other reason for a directory. */
export const runcText = (text: string): string =>
  text.startsWith(NO_LOG) ? text : text.replace(/: is a directory$/, ': permission denied');

const unparsed = (image: string): string =>
  `failed to parse image reference ${JSON.stringify(image)}: ${referenceFault(image)}`;

const NO_COMMAND = `failed to exec in container: failed to start exec "${UNMADE_ID}": OCI runtime exec failed: exec failed: args must not be empty`;

/** The text before the reason, by method; `{id}` is the given id. */
const LOOKUPS: Readonly<Record<string, string>> = {
  CreateContainer: 'failed to find sandbox id "{id}"',
  PodSandboxStatus: 'an error occurred when try to find sandbox',
  PodSandboxStats: 'an error occurred when trying to find sandbox {id}',
  StopPodSandbox: 'an error occurred when try to find sandbox "{id}"',
  RemovePodSandbox: 'an error occurred when try to find sandbox "{id}"',
  PortForward: 'failed to find sandbox "{id}"',
  Attach: 'failed to find container in store',
  Exec: 'failed to find container "{id}" in store',
  ExecSync: 'failed to exec in container: failed to find container "{id}" in store',
  UpdatePodSandboxResources: 'failed to find sandbox',
  ContainerStats: 'failed to find container',
  UpdateContainerResources: 'failed to find container',
};

const lookup = (method: string, id: string): string =>
  (LOOKUPS[method] ?? 'an error occurred when try to find container "{id}"').replace('{id}', () => id);

const notDecoded = (request: object): string =>
  `failed to decode pod sandbox metrics ${(request as { podSandboxId?: string }).podSandboxId}`;

const notReady = (id: string): string =>
  `failed to get pod sandbox stats since sandbox container "${id}" is not in ready state: unavailable`;

function stateText(method: string, id: string, state: string): string {
  if (state.startsWith('SANDBOX_'))
    return `sandbox container ${method === 'PortForward' ? '' : `"${id}" `}is not running`;
  if (method === 'ReopenContainerLog') return 'container is not running';
  const before: Readonly<Record<string, string>> = {
    StartContainer: `failed to set starting state for container "${id}": `,
    ExecSync: 'failed to exec in container: ',
  };
  return `${before[method] ?? ''}container is in ${state} state`;
}

function busy(method: string, id: string, state: 'starting' | 'removing'): string {
  const [wanted, done] = method === 'StartContainer' ? ['starting', 'started'] : ['removing', 'removed'];
  const why = state === wanted ? `already in ${state} state` : `in ${state} state, can't be ${done}`;
  return `failed to set ${wanted} state for container "${id}": container is ${why}`;
}

interface NamedRequest {
  readonly config?: { readonly metadata?: ContainerMetadata };
  readonly sandboxConfig?: PodSandboxConfig;
}

/** containerd's registrar writes the name with all its parts, joined by underscores. */
function nameTaken(holder: string, { config, sandboxConfig }: NamedRequest): string {
  const pod = (sandboxConfig ?? config) as PodSandboxConfig | undefined;
  const { name = '', namespace = '', uid = '', attempt = 0 } = pod?.metadata ?? {};
  const isContainer = sandboxConfig !== undefined;
  const own = config?.metadata;
  const full = isContainer
    ? [own?.name, name, namespace, uid, own?.attempt].join('_')
    : [name, namespace, uid, attempt].join('_');
  const what = `failed to reserve ${isContainer ? 'container' : 'sandbox'} name "${full}"`;
  const hint = isContainer ? '; check if another CreateContainer request is in progress' : '';
  return `${what}${hint}: name "${full}" is reserved for "${holder}"`;
}

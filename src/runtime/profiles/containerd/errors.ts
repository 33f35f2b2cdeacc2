import type { CriError, ErrorKind, Problem } from '../../../cri/errors.js';
import type { ContainerMetadata, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import { referenceFault } from '../../../cri/reference-fault.js';
import type { CodeName } from '../../../cri/status-code.js';
import { streamingRpcs } from '../codes.js';
import type { Answer } from '../profile.js';
import { pullAnswer } from '../pull-failures.js';
import { UNMADE_ID } from '../unmade-id.js';
import { NO_LOG } from './log-fault.js';

export interface ErrorTexts {
  readonly nameTaken: CodeName;
  /** Between the container's name and the reason why it is taken. */
  readonly containerNameHint: string;
  /** Before the reason, when a sandbox gets no runtime handler, or no user. */
  readonly noHandler: (id: string) => string;
  readonly noSandboxUser: (id: string) => string;
  readonly noNetwork: (id: string) => string;
  /** Why there are no stats of a sandbox without a cgroup parent. */
  readonly noCgroup: (id: string) => string;
  readonly absentImage: string;
  /** Before the reason why a container gets no spec. */
  readonly noSpecOpts: string;
  readonly listStats: (errors: readonly string[]) => string;
  /** After the text about a process that runc could not start. */
  readonly ociFailed: string;
  /** Whether CreateContainer checks the sandbox's state (2.4), or fails for lack of its process. */
  readonly stoppedIsSeen: boolean;
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
  if (problem !== undefined) return answerTo(problem, { method, message, request, texts });
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

function answerTo(problem: Problem, context: Context): Answer {
  const { method, message, request, texts } = context;
  switch (problem.name) {
    case 'unknown-id':
      return { code: 'NOT_FOUND', text: `${lookup(method, problem.id)}: not found` };
    case 'empty-id':
      return { code: 'UNKNOWN', text: `${lookup(method, problem.id)}: prefix can't be empty` };
    case 'ambiguous-id':
      return {
        code: 'UNKNOWN',
        text: `${lookup(method, problem.id)}: Multiple IDs found with provided prefix: ${problem.id}`,
      };
    case 'wrong-state':
      if (method === 'PodSandboxStats')
        return { code: 'UNAVAILABLE', text: `${notDecoded(request)}: ${notReady(problem.id)}` };
      return wrongState(method, problem.id, problem.state, texts);
    case 'busy':
      return { code: 'UNKNOWN', text: busy(method, problem.id, problem.state) };
    case 'name-taken':
      return { code: texts.nameTaken, text: nameTaken(problem.holder, request as NamedRequest, texts) };
    case 'no-config':
    case 'no-metadata':
      return { code: 'UNKNOWN', text: `${problem.object} config must include metadata` };
    case 'unknown-handler':
      return {
        code: 'UNKNOWN',
        text: `${texts.noHandler(UNMADE_ID)}no runtime for "${problem.handler}" is configured`,
      };
    case 'group-without-user': {
      const before =
        method === 'RunPodSandbox'
          ? `${texts.noSandboxUser(UNMADE_ID)}failed to generate sandbox container spec options`
          : 'failed to get container spec opts';
      const reason = `user group "${problem.group}" is specified without user`;
      return { code: 'UNKNOWN', text: `${before}: failed to generate user string: ${reason}` };
    }
    case 'absent-image':
      // An empty name is a prefix of every image's id.
      if (problem.image === '')
        return { code: 'UNKNOWN', text: 'failed to resolve image "": ambiguous digest string' };
      return {
        code: 'NOT_FOUND',
        text: `${problem.mounted ? 'failed to mount image volume: ' : texts.absentImage}failed to resolve image "${problem.image}": not found`,
      };
    case 'failed-pull': {
      const { code, text } = pullAnswer('containerd', problem);
      // Of Docker Hub, the resolver asks another name.
      const asked = text.replace('https://docker.io/', 'https://registry-1.docker.io/');
      return { code, text: `failed to pull and unpack image "${problem.image}": ${asked}` };
    }
    case 'start-failed':
      return { code: 'UNKNOWN', text: runcText(problem.text, texts) };
    case 'no-command':
      return { code: 'UNKNOWN', text: method === 'ExecSync' ? noCommand(texts) : message };
    case 'no-image':
      // The prefix of every image id, where containerd looks for an id.
      return {
        code: 'UNKNOWN',
        text: method === 'PullImage' ? unparsed('') : 'can not resolve "" locally: ambiguous digest string',
      };
    case 'writable-mount': {
      const reason = `recursive read-only mount conflicts with RW mount (hostPath="${problem.hostPath}")`;
      return { code: 'UNKNOWN', text: noSpec(`failed to generate spec: ${reason}`) };
    }
    case 'malformed-image':
      return { code: 'UNKNOWN', text: unparsed(problem.image) };
    case 'unprivileged-sandbox':
      return {
        code: 'UNKNOWN',
        text: noSpec(`${texts.noSpecOpts}no privileged container allowed in sandbox`),
      };
    case 'unknown-user':
      return {
        code: 'UNKNOWN',
        text: 'failed to create containerd container: mount callback failed on /var/lib/containerd/tmpmounts/containerd-mount1: no users found',
      };
    case 'seccomp-profile': {
      const { path } = problem;
      const reason = `cannot load seccomp profile "${path}": open ${path}: no such file or directory`;
      return { code: 'UNKNOWN', text: `failed to create containerd container: ${reason}` };
    }
    case 'id-mappings': {
      const { kind, count } = problem;
      const reason = `required only one ${kind} mapping, but got ${count} ${kind} mapping(s)`;
      return { code: 'UNKNOWN', text: `${texts.noNetwork(UNMADE_ID)}${reason}` };
    }
    case 'malformed-cidr':
      return { code: 'UNKNOWN', text: `get routes: invalid CIDR address: ${problem.cidr}` };
    case 'no-cgroup':
      return { code: 'UNKNOWN', text: noCgroup(context, problem.ids) };
    default:
      return { code: 'UNKNOWN', text: message };
  }
}

export const noSpec = (reason: string): string =>
  `failed to generate container "${UNMADE_ID}" spec: ${reason}`;

/** containerd measures a sandbox by its cgroup parent. */
function noCgroup({ method, request, texts }: Context, ids: readonly string[]): string {
  const errors = ids.map((id) => {
    return { id, text: `failed getting metrics for sandbox ${id}: ${texts.noCgroup(id)}` };
  });
  if (method === 'PodSandboxStats') return `${notDecoded(request)}: ${errors[0]?.text}`;
  return texts.listStats(
    errors.map(({ id, text }) => `failed to decode sandbox container metrics for sandbox "${id}": ${text}`),
  );
}

/** The text of runc 1.1 in Debian 12: its Go version reported no other reason for a directory. */
export const runcText = (text: string, { ociFailed }: Pick<ErrorTexts, 'ociFailed'>): string =>
  text.startsWith(NO_LOG) ? text : `${text.replace(/: is a directory$/, ': permission denied')}${ociFailed}`;

const unparsed = (image: string): string =>
  `failed to parse image reference ${JSON.stringify(image)}: ${referenceFault(image)}`;

const noCommand = ({ ociFailed }: ErrorTexts): string =>
  `failed to exec in container: failed to start exec "${UNMADE_ID}": OCI runtime exec failed: exec failed: args must not be empty${ociFailed}`;

function lookup(method: string, id: string): string {
  switch (method) {
    case 'CreateContainer':
      return `failed to find sandbox id "${id}"`;
    case 'PodSandboxStatus':
      return 'an error occurred when try to find sandbox';
    case 'PodSandboxStats':
      return `an error occurred when trying to find sandbox ${id}`;
    case 'StopPodSandbox':
    case 'RemovePodSandbox':
      return `an error occurred when try to find sandbox "${id}"`;
    case 'PortForward':
      return `failed to find sandbox "${id}"`;
    case 'Attach':
      return 'failed to find container in store';
    case 'Exec':
      return `failed to find container "${id}" in store`;
    case 'ExecSync':
      return `failed to exec in container: failed to find container "${id}" in store`;
    case 'UpdatePodSandboxResources':
      return 'failed to find sandbox';
    case 'ContainerStats':
    case 'UpdateContainerResources':
      return 'failed to find container';
    default:
      return `an error occurred when try to find container "${id}"`;
  }
}

function wrongState(method: string, id: string, state: string, texts: ErrorTexts): Answer {
  if (method === 'CreateContainer' && !texts.stoppedIsSeen)
    return {
      code: 'NOT_FOUND',
      text: `failed to get sandbox container task: no running task found: task ${id} not found: not found`,
    };
  return { code: 'UNKNOWN', text: stateText(method, id, state) };
}

const notDecoded = (request: object): string =>
  `failed to decode pod sandbox metrics ${(request as { podSandboxId?: string }).podSandboxId}`;

const notReady = (id: string): string =>
  `failed to get pod sandbox stats since sandbox container "${id}" is not in ready state: unavailable`;

function stateText(method: string, id: string, state: string): string {
  if (state.startsWith('SANDBOX_'))
    return method === 'PortForward'
      ? 'sandbox container is not running'
      : `sandbox container "${id}" is not running`;
  switch (method) {
    case 'StartContainer':
      return `failed to set starting state for container "${id}": container is in ${state} state`;
    case 'ExecSync':
      return `failed to exec in container: container is in ${state} state`;
    case 'ReopenContainerLog':
      return 'container is not running';
    default:
      return `container is in ${state} state`;
  }
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
function nameTaken(holder: string, { config, sandboxConfig }: NamedRequest, texts: ErrorTexts): string {
  const pod = (sandboxConfig ?? config) as PodSandboxConfig | undefined;
  const { name = '', namespace = '', uid = '', attempt = 0 } = pod?.metadata ?? {};
  const isContainer = sandboxConfig !== undefined;
  const own = config?.metadata;
  const full = isContainer
    ? [own?.name, name, namespace, uid, own?.attempt].join('_')
    : [name, namespace, uid, attempt].join('_');
  const what = `failed to reserve ${isContainer ? 'container' : 'sandbox'} name "${full}"`;
  return `${what}${isContainer ? texts.containerNameHint : ''}: name "${full}" is reserved for "${holder}"`;
}

import type { CriError, Problem } from '../../../cri/errors.js';
import { formatImageReference, parseImageReference } from '../../../cri/image-reference.js';
import { referenceFault } from '../../../cri/reference-fault.js';
import { type Answers, answerFrom } from '../answers.js';
import { goCodes } from '../codes.js';
import type { Answer } from '../profile.js';
import { pullAnswer } from '../pull-failures.js';
import { UNMADE_ID } from '../unmade-id.js';

const unknown = (text: string): Answer => ({ code: 'UNKNOWN', text });

/** Code and text for an error of the engine, measured, or from the source of CRI-O (directory server). */
export function answerOf(
  method: string,
  { kind, message, problem }: CriError,
  request: object,
  now: bigint,
): Answer {
  if (problem !== undefined) return answerFrom(answers, problem, { method, message, request, now });
  const isInvalid = kind === 'invalid';
  // The streaming library's error has a code, which an error around it keeps.
  if (method === 'Exec' && isInvalid) {
    const text = `unable to prepare exec endpoint: rpc error: code = InvalidArgument desc = ${message}`;
    return { code: 'INVALID_ARGUMENT', text };
  }
  if (method === 'Attach' && isInvalid) return unknown('unable to prepare attach endpoint');
  if (method === 'PortForward' && isInvalid) return unknown('unable to prepare portforward endpoint');
  return { code: goCodes[kind] ?? 'UNKNOWN', text: message };
}

/** The runtime's memory address, which CRI-O prints. */
const RUNTIME = '0xc0004d8e10';

interface Context {
  readonly method: string;
  readonly message: string;
  readonly request: object;
  readonly now: bigint;
}

const missing = (problem: Missing, { method }: Context): Answer =>
  problem.object === 'sandbox'
    ? noSandbox(method, problem.id, sandboxReason(problem))
    : noContainer(method, problem.id, containerReason(problem));

const answers: Answers<Context> = {
  'unknown-id': missing,
  'empty-id': missing,
  'ambiguous-id': missing,
  'wrong-state': ({ id, state }, { method }) => wrongState(method, id, state),
  'name-taken': ({ object }) =>
    `error reserving ${object === 'sandbox' ? 'pod' : 'ctr'} name: name is reserved`,
  'no-config': ({ object }, { method }) => {
    if (method === 'RunPodSandbox') return 'setting sandbox config: config is nil';
    return object === 'sandbox' ? 'sandbox config is nil' : 'config is nil';
  },
  'no-metadata': ({ object }, { method }) => {
    if (object === 'container') return 'setting container config: metadata is nil';
    return `${method === 'RunPodSandbox' ? 'setting sandbox config:' : 'sandbox config'} metadata is nil`;
  },
  'no-name': emptyName,
  'unknown-handler': ({ handler }) =>
    `failed to find runtime handler ${handler} from runtime list map[runc:${RUNTIME}]`,
  'relative-log-directory': ({ directory }) =>
    `requested logDir for sbuilder ID ${UNMADE_ID} is a relative path: ${directory}`,
  'group-without-user': () => 'user group is specified without user or username',
  'absent-image': ({ image }) => (image === '' ? 'config image is nil' : absentImage(image)),
  'malformed-image': ({ image }) => unparsed(image),
  'failed-pull': (problem) => pullAnswer('cri-o', problem),
  'no-image': (_, { method }) => (method === 'PullImage' ? unparsed('') : 'no image specified'),
  'writable-mount': ({ hostPath }) =>
    `recursive read-only mount conflicts with read-write mount for hostPath "${hostPath}"`,
  'unknown-user': (_, { request }) =>
    `get exec user: unable to find user ${userIn(request)}: no matching entries in passwd file`,
  'no-command': () => 'exec command cannot be empty',
  'start-failed': ({ text }, { now }) =>
    `container create failed: ${runcOutput(text, 'runc create failed: ', now)}`,
};

type Missing = Extract<Problem, { readonly name: 'unknown-id' | 'empty-id' | 'ambiguous-id' }>;

const why = ({ name, id }: Missing): string =>
  name === 'unknown-id' ? 'ID does not exist' : `Multiple IDs found with provided prefix: ${id}`;

const containerReason = (problem: Missing): string =>
  problem.name === 'empty-id'
    ? 'container ID should not be empty'
    : `container with ID starting with ${problem.id} not found: ${why(problem)}`;

const sandboxReason = (problem: Missing): string =>
  problem.name === 'empty-id'
    ? 'PodSandboxId should not be empty'
    : `PodSandbox with ID starting with ${problem.id} not found: ${why(problem)}`;

function noContainer(method: string, id: string, reason: string): Answer {
  switch (method) {
    case 'UpdateContainerResources':
    case 'ContainerStats':
      return unknown(reason);
    case 'ReopenContainerLog':
      return unknown(`could not find container ${id}: ${reason}`);
    case 'Exec':
    case 'Attach':
      return unknown(`could not find container "${id}": ${reason}`);
    default:
      return { code: 'NOT_FOUND', text: `could not find container "${id}": ${reason}` };
  }
}

function noSandbox(method: string, id: string, reason: string): Answer {
  switch (method) {
    case 'PodSandboxStatus':
    case 'UpdatePodSandboxResources':
      return { code: 'NOT_FOUND', text: `could not find pod "${id}": ${reason}` };
    case 'CreateContainer':
      return unknown(id === '' ? reason : `specified sandbox not found: ${id}: ${reason}`);
    default:
      return unknown(reason);
  }
}

const STATES: Readonly<Record<string, string>> = {
  CONTAINER_CREATED: 'created',
  CONTAINER_RUNNING: 'running',
  CONTAINER_EXITED: 'stopped',
};

function wrongState(method: string, id: string, state: string): Answer {
  const shown = STATES[state] ?? 'unknown';
  switch (method) {
    case 'CreateContainer':
      return unknown(`CreateContainer failed as the sandbox was stopped: ${id}`);
    case 'StartContainer':
      return unknown(`container ${id} is not in created state: ${shown}`);
    case 'UpdateContainerResources':
      return unknown(`container ${id} is not running or created state: ${shown}`);
    case 'ExecSync': {
      const reason = `checking if PID of ${id} is running failed: container process not found`;
      return { code: 'NOT_FOUND', text: `container is not created or running: ${reason}` };
    }
    default:
      return unknown('container is not running');
  }
}

function emptyName({ object, field }: Extract<Problem, { readonly name: 'no-name' }>): string {
  if (object === 'container') return 'setting container config: name is empty';
  if (field === 'name') return 'setting sandbox config: metadata.Name should not be empty';
  return `setting pod sandbox name and id: cannot generate pod name without ${field === 'uid' ? 'uid in metadata' : field}`;
}

const STORAGE = '[overlay@/var/lib/containers/storage+/run/containers/storage]';

function absentImage(image: string): string {
  const reference = parseImageReference(image);
  if (reference === undefined) return unparsed(image);
  return `reference "${STORAGE}${formatImageReference(reference)}" does not resolve to an image ID`;
}

/** If a name is valid in lower case, the error mentions upper case (distribution/reference, Parse). */
function faultOf(image: string): string | undefined {
  const fault = referenceFault(image);
  if (!fault?.endsWith('must be lowercase')) return fault;
  const isValidElse = referenceFault(image.toLowerCase()) === undefined;
  return isValidElse ? 'repository name must be lowercase' : 'invalid reference format';
}

/** containers/image reports fewer details than the library that it calls. */
export function unparsed(image: string): string {
  const shown = image === '' ? 'repository name must have at least one component' : faultOf(image);
  return `cannot parse input: ${JSON.stringify(image)}: ${shown}`;
}

interface UserRequest {
  readonly config?: {
    readonly linux?: { readonly securityContext?: { readonly runAsUsername?: string } };
  };
}

const userIn = (request: object): string =>
  (request as UserRequest).config?.linux?.securityContext?.runAsUsername ?? '';

/** Extracts runc's log output from containerd's text; `start` is where it begins. */
export function runcOutput(text: string, start: string, now: bigint): string {
  const begin = text.indexOf(start);
  const message = (begin < 0 ? text : text.slice(begin)).replace(/: is a directory$/, ': permission denied');
  const time = new Date(Number(now / 1_000_000n)).toISOString().replace(/\.\d+/, '');
  return `time="${time}" level=error msg=${JSON.stringify(message)}\n`;
}

import { randomBytes } from 'node:crypto';
import type { CriError, ErrorKind, Problem } from '../../cri/errors.js';
import type { CodeName } from '../../cri/status-code.js';
import type { Answer } from '../profile.js';

/** Errors that come about in Go's standard way have no code: gRPC makes them UNKNOWN. */
const CODES: Partial<Record<ErrorKind, CodeName>> = {
  unsupported: 'UNIMPLEMENTED',
  timeout: 'DEADLINE_EXCEEDED',
  cancelled: 'CANCELLED',
  exhausted: 'RESOURCE_EXHAUSTED',
};

const unknown = (text: string): Answer => ({ code: 'UNKNOWN', text });

/** Code and text for an error of the engine, from the source of CRI-O (directory server). */
export function answerOf(method: string, { kind, message, problem }: CriError): Answer {
  if (problem !== undefined) return answerTo(method, problem, message);
  const isInvalid = kind === 'invalid';
  // The library for streaming has a code, which an error around it keeps.
  if (method === 'Exec' && isInvalid) {
    const text = `unable to prepare exec endpoint: rpc error: code = InvalidArgument desc = ${message}`;
    return { code: 'INVALID_ARGUMENT', text };
  }
  if (method === 'Attach' && isInvalid) return unknown('unable to prepare attach endpoint');
  if (method === 'PortForward' && isInvalid) return unknown('unable to prepare portforward endpoint');
  return { code: CODES[kind] ?? 'UNKNOWN', text: message };
}

function answerTo(method: string, problem: Problem, message: string): Answer {
  switch (problem.name) {
    case 'unknown-id':
    case 'empty-id':
    case 'ambiguous-id':
      return problem.object === 'sandbox'
        ? noSandbox(method, problem.id, sandboxReason(problem))
        : noContainer(method, problem.id, containerReason(problem));
    case 'wrong-state':
      return wrongState(method, problem.id, problem.state);
    case 'name-taken':
      return unknown(
        `error reserving ${problem.object === 'sandbox' ? 'pod' : 'ctr'} name: name is reserved`,
      );
    case 'no-config':
      if (method === 'RunPodSandbox') return unknown('setting sandbox config: config is nil');
      return unknown(problem.object === 'sandbox' ? 'sandbox config is nil' : 'config is nil');
    case 'no-metadata':
      if (problem.object === 'container') return unknown('setting container config: metadata is nil');
      return unknown(
        method === 'RunPodSandbox'
          ? 'setting sandbox config: metadata is nil'
          : 'sandbox config metadata is nil',
      );
    case 'no-name':
      return unknown(emptyName(problem));
    case 'unknown-handler':
      return unknown(
        `failed to find runtime handler ${problem.handler} from runtime list map[crun:0x${randomBytes(5).toString('hex')}]`,
      );
    case 'relative-log-directory':
      return unknown(
        `requested logDir for sbuilder ID ${randomBytes(32).toString('hex')} is a relative path: ${problem.directory}`,
      );
    case 'group-without-user':
      return unknown('user group is specified without user or username');
    case 'absent-image':
      return unknown(
        problem.image === ''
          ? 'config image is nil'
          : `reference "[overlay@/var/lib/containers/storage+/run/containers/storage]${problem.image}" does not resolve to an image ID: identifier is not an image`,
      );
    case 'no-image':
      return unknown('no image specified');
    case 'no-command':
      return unknown('exec command cannot be empty');
    case 'start-failed':
      return unknown(`container create failed: ${crunText(problem.text)}`);
    default:
      return unknown(message);
  }
}

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

/** The names of runc's states. */
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

/** As crun says it, from runc's text. */
function crunText(text: string): string {
  const [, program = ''] = /exec: "(.*)": /.exec(text) ?? [];
  const reason = text.endsWith('no such file or directory') || text.endsWith('$PATH');
  return `executable file \`${program}\` not found${program.includes('/') ? '' : ' in $PATH'}: ${reason ? 'No such file or directory' : 'Permission denied'}\n`;
}

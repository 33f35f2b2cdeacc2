import type { CriError } from '../../../cri/errors.js';
import type { ContainerMetadata, PodSandboxConfig } from '../../../cri/gen/runtime/v1/api.js';
import { referenceFault } from '../../../cri/reference-fault.js';
import { type Answers, answerFrom } from '../answers.js';
import { goCodes, streamingRpcs } from '../codes.js';
import type { Answer } from '../profile.js';
import { shownFailure } from './start-failure.js';

const unknown = (text: string): Answer => ({ code: 'UNKNOWN', text });

/** Docker's client prefixes the daemon's errors with this. */
const DAEMON = 'Error response from daemon: ';

/** Code and text for an error of the engine, measured, or from the source of cri-dockerd (directory core). */
export function answerOf(method: string, { kind, message, problem }: CriError, request: object): Answer {
  if (problem !== undefined) return answerFrom(answers, problem, { method, message, request });
  if (kind === 'invalid' && streamingRpcs.has(method)) return { code: 'INVALID_ARGUMENT', text: message };
  if (kind === 'timeout') return { code: 'DEADLINE_EXCEEDED', text: 'context deadline exceeded' };
  return { code: goCodes[kind] ?? 'UNKNOWN', text: message };
}

interface Context {
  readonly method: string;
  readonly message: string;
  readonly request: object;
}

const answers: Answers<Context> = {
  'empty-id': (_, { method }) => emptyId(method),
  'unknown-id': ({ id }, { method }) => absent(method, id),
  'ambiguous-id': ({ id }, { method }) =>
    failed(method, id, `${DAEMON}Multiple IDs found with provided prefix: ${id}`),
  'wrong-state': ({ id }, { method, request }) => wrongState(method, id, request),
  'name-taken': ({ object, holder }, { request }) => nameTaken(object, holder, request),
  'no-config': ({ object }, { request }) => noConfig(object, request),
  'unknown-handler': ({ handler }) => `RuntimeHandler ${JSON.stringify(handler)} not supported`,
  'group-without-user': (_, { method, request }) => groupWithoutUser(method, request),
  'absent-image': ({ image }) => (image === '' ? NO_IMAGE : `${DAEMON}${absentImage(image)}`),
  'malformed-image': ({ image }, { message }) => referenceFault(image) ?? message,
  'no-image': (_, { method }) => (method === 'PullImage' ? 'invalid reference format' : 'no such image: ""'),
  'no-command': () => `failed to exec in container - Exec setup failed - ${DAEMON}No exec command specified`,
  'start-failed': ({ text }, { method, request }) =>
    failed(method, containerOf(request), `${DAEMON}${shownFailure(text)}`),
};

/** Docker creates a container without an image, which then has no command. */
const NO_IMAGE = `${DAEMON}No command specified`;

/** Returns why a text is not an image name in Docker 20.10, whose library is older than cri-dockerd's. */
export const dockerFault = (image: string): string | undefined =>
  referenceFault(image)?.replace(/repository name \(.*\) must/, 'repository name must');

function absentImage(image: string): string {
  return dockerFault(image) ?? `No such image: ${image.includes(':') ? image : `${image}:latest`}`;
}

/** Docker's client refuses it; the text ends with a space, which HTTP/2 libraries other than Go's drop. */
function emptyId(method: string): Answer {
  if (method === 'ContainerStats') return unknown('container with id  not found');
  if (method !== 'StopPodSandbox') return unknown('');
  const reasons = 'invalid key: "", failed to get sandbox status: Error: No such container: ';
  return unknown(`[failed to get checkpoint for sandbox "": ${reasons}]`);
}

function absent(method: string, id: string): Answer {
  const text = `${DAEMON}No such container: ${id}`;
  switch (method) {
    case 'StopContainer':
      return { code: 'NOT_FOUND', text };
    case 'StartContainer':
    case 'RemoveContainer':
      return unknown(`failed to get container ${JSON.stringify(id)} log path: ${uninspected(id, text)}`);
    case 'UpdateContainerResources':
      return failed(method, id, text);
    case 'ContainerStats':
      return unknown(`container with id ${id} not found`);
    case 'ReopenContainerLog':
      return unknown(NO_REOPEN);
    default:
      return unknown(text);
  }
}

const NO_REOPEN = 'docker does not support reopening container log files';

const uninspected = (id: string, text: string): string =>
  `failed to inspect container ${JSON.stringify(id)}: ${text}`;

const FAILED: Readonly<Record<string, string>> = {
  StartContainer: 'failed to start container',
  RemoveContainer: 'failed to remove container',
  UpdateContainerResources: 'failed to update container',
};

function failed(method: string, id: string, text: string): Answer {
  const words = FAILED[method];
  return unknown(words === undefined ? text : `${words} ${JSON.stringify(id)}: ${text}`);
}

function wrongState(method: string, id: string, request: object): Answer {
  if (method === 'StartContainer') {
    const text = `${DAEMON}cannot join network of a non running container: ${id}`;
    return failed(method, containerOf(request), text);
  }
  return unknown(`container not running (${id})`);
}

interface Creation {
  readonly containerId?: string;
  readonly config?: { readonly metadata?: ContainerMetadata & PodSandboxConfig['metadata'] };
  readonly sandboxConfig?: PodSandboxConfig;
}

const containerOf = (request: object): string => (request as Creation).containerId ?? '';

function nameTaken(object: 'sandbox' | 'container', holder: string, request: object): Answer {
  const { config, sandboxConfig } = request as Creation;
  const own = config?.metadata;
  const pod = object === 'sandbox' ? own : sandboxConfig?.metadata;
  const first = object === 'sandbox' ? 'POD' : own?.name;
  const name = ['k8s', first, pod?.name, pod?.namespace, pod?.uid, own?.attempt].join('_');
  const text = `${DAEMON}Conflict. The container name "/${name}" is already in use by container "${holder}". You have to remove (or rename) that container to be able to reuse that name.`;
  return unknown(
    object === 'sandbox' ? `failed to create a sandbox for pod ${JSON.stringify(own?.name)}: ${text}` : text,
  );
}

function noConfig(object: 'sandbox' | 'container', request: object): string {
  const name = (request as Creation).config?.metadata?.name;
  return object === 'container'
    ? 'container config is nil'
    : `sandbox config is nil for container ${JSON.stringify(name)}`;
}

function groupWithoutUser(method: string, request: object): Answer {
  const name = JSON.stringify((request as Creation).config?.metadata?.name);
  const why = 'runAsGroup is specified without a runAsUser';
  return unknown(
    method === 'RunPodSandbox'
      ? `failed to make sandbox docker config for pod ${name}: ${why}`
      : `failed to update container create config: failed to apply container security context for container ${name}: ${why}`,
  );
}

export const noReopen = (): Answer => unknown(NO_REOPEN);

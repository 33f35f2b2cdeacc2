import { type CriClient, createClient, transportOf } from '../../../src/cri/client/client.js';
import { camelCase } from '../../../src/cri/field-name.js';
import type { CriMethod } from '../../../src/cri/methods.js';
import type { Check } from '../../../src/suite/conformance/check.js';
import type { CheckRecorder } from '../../../src/suite/conformance/check-recorder.js';
import { api, rpcs } from './api-text.js';

/** The checks that use a field of a message, and the states of objects in which they use it. */
export interface Use {
  readonly checks: Set<string>;
  readonly states: Set<string>;
}

/** By `RPC Message.field`, and `RPC` alone for calls. */
export type Uses = ReadonlyMap<string, Use>;

/** Records which RPCs and fields each check uses, and in which states. */
export function recordCoverage(): { readonly uses: Uses; readonly recorder: CheckRecorder } {
  const uses = new Map<string, Use>();
  const states = new Map<string, string>();
  const note = (key: string, check: Check, state: string) => {
    const use = uses.get(key) ?? { checks: new Set(), states: new Set() };
    uses.set(key, use);
    use.checks.add(check.id);
    use.states.add(state);
  };
  const noteFields = (method: CriMethod, check: Check, state: string, type: string, message: object) => {
    for (const field of usedFields(type, message)) note(`${method.name} ${field}`, check, state);
  };
  const recorder: CheckRecorder = {
    begin: async (check, cri) => ({
      cri: through(cri, (method, request) => {
        const state = stateOf(states, request);
        note(method.name, check, state);
        noteFields(method, check, state, requestOf(method.name), request);
        return (reply) => {
          learn(states, method.name, request, reply);
          noteFields(method, check, state, replyOf(method.name), reply);
        };
      }),
      over: () => {},
      end: async () => undefined,
    }),
  };
  return { uses, recorder };
}

const requestOf = (rpc: string): string => rpcs.find(({ name }) => name === rpc)?.request ?? '';
const replyOf = (rpc: string): string => rpcs.find(({ name }) => name === rpc)?.response ?? '';

/** A client that reports each call, and then each of its replies. */
function through(
  cri: CriClient,
  begin: (method: CriMethod, request: object) => (reply: object) => void,
): CriClient {
  const below = transportOf(cri);
  return createClient({
    unary: async (method, request, options) => {
      const end = begin(method, request);
      const reply = await below.unary(method, request, options);
      end(reply);
      return reply;
    },
    stream: async function* (method, request, options) {
      const end = begin(method, request);
      for await (const reply of below.stream(method, request, options)) {
        end(reply);
        yield reply;
      }
    },
  });
}

const isSet = (value: unknown): boolean => {
  if (value === undefined || value === null) return false;
  if (Array.isArray(value) || value instanceof Uint8Array) return value.length > 0;
  if (typeof value === 'object') return Object.keys(value).length > 0;
  return Boolean(value);
};

/** The fields of a message and its nested messages that are not at their default, as `Message.field`. */
function usedFields(type: string, message: object): Set<string> {
  const found = new Set<string>();
  const walk = (name: string, value: object) => {
    for (const field of api.messages[name]?.fields ?? []) {
      const part = (value as Record<string, unknown>)[camelCase(field.name)];
      if (!isSet(part)) continue;
      found.add(`${name}.${field.name}`);
      if (api.messages[field.type] === undefined) continue;
      for (const one of Array.isArray(part) ? part : [part]) walk(field.type, one as object);
    }
  };
  walk(type, message);
  return found;
}

type Ids = { readonly containerId?: string; readonly podSandboxId?: string };

/** The last known state of a call's object; `–` for a call without an object. */
function stateOf(states: ReadonlyMap<string, string>, request: object): string {
  const { containerId, podSandboxId } = request as Ids;
  const id = containerId ?? podSandboxId;
  if (id === undefined) return '–';
  return states.get(id) ?? 'absent';
}

const CONTAINER_STATES = ['CREATED', 'RUNNING', 'EXITED', 'UNKNOWN'];

function learn(states: Map<string, string>, rpc: string, request: object, reply: object): void {
  const { containerId: container = '', podSandboxId: pod = '' } = request as Ids;
  const { containerId = '', podSandboxId = '', status } = reply as Ids & { status?: { state?: number } };
  if (rpc === 'RunPodSandbox') states.set(podSandboxId, 'READY');
  else if (rpc === 'StopPodSandbox') states.set(pod, 'NOTREADY');
  else if (rpc === 'RemovePodSandbox') states.set(pod, 'removed');
  else if (rpc === 'CreateContainer') states.set(containerId, 'CREATED');
  else if (rpc === 'StartContainer') states.set(container, 'RUNNING');
  else if (rpc === 'StopContainer' && states.get(container) === 'RUNNING') states.set(container, 'EXITED');
  else if (rpc === 'RemoveContainer') states.set(container, 'removed');
  else if (rpc === 'ContainerStatus') states.set(container, CONTAINER_STATES[status?.state ?? 0] ?? '');
}

import { createObjectStore, type ObjectStore } from './object-store.js';
import { containerName, type Named, sandboxName, type TrackedObject } from './tracked-object.js';
import type { AnsweredCall, OpenCall, Watcher } from './watcher.js';

/** The objects of one conversation. */
export interface Objects extends Pick<ObjectStore, 'byId' | 'live' | 'find' | 'containersOf'> {
  /** The line at which something about any object was learned last, or may have changed. */
  readonly changedAt: number;
  /** Whether nothing changed the object since the line, and nothing changes it now. */
  isStill(object: TrackedObject, since: number): boolean;
  /** Whether no other call changed the object during this one, which is over. */
  wasAlone(object: TrackedObject, exchange: AnsweredCall): boolean;
  /** Learns of an object that was there before the tape. */
  learn(object: Pick<TrackedObject, 'id' | 'kind' | 'sandboxId' | 'name'>, line: number): TrackedObject;
  /** Says that an observation at this line has raised a state, or made sure that an object is there. */
  noted(line: number): void;
  /** Keeps the count of changing calls; goes before the watchers that ask. */
  readonly before: Watcher;
  /** Draws the conclusions from changing calls; goes after the watchers that compare. */
  readonly after: Watcher;
}

interface AnyRequest {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly config?: { readonly metadata?: Named };
  readonly sandboxConfig?: { readonly metadata?: Named };
  readonly containerConfigs?: readonly { readonly metadata?: Named }[];
}

interface AnyReply {
  readonly podSandboxId?: string;
  readonly containerId?: string;
  readonly restoredContainers?: readonly { readonly name: string; readonly containerId: string }[];
}

const CHANGING = new Set([
  'RunPodSandbox',
  'StopPodSandbox',
  'RemovePodSandbox',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'RemoveContainer',
  'CheckpointPod',
  'RestorePod',
]);

/** Learns the objects from the calls and answers of a conversation, as they come. */
export function createObjects(): Objects {
  const store = createObjectStore();
  const { find } = store;
  let changedAt = 0;

  const began = ({ call, line }: OpenCall) => {
    if (!CHANGING.has(call.method)) return;
    changedAt = line;
    const sandbox =
      call.method === 'CreateContainer' ? find(call.message.value<AnyRequest>().podSandboxId) : undefined;
    if (sandbox !== undefined) sandbox.creating++;
    for (const object of touched(store, call.method, call.message.value())) {
      object.alone = object.changing === 0 ? line : 0;
      object.changing++;
      object.changedAt = line;
      if (call.method === 'StartContainer') object.startTried = true;
      if (call.method.startsWith('Stop')) object.stopTried = true;
    }
  };
  const done = ({ method, call, replyLine, isOpenEnded }: AnsweredCall) => {
    if (!CHANGING.has(method)) return;
    changedAt = replyLine;
    const sandbox =
      method === 'CreateContainer' ? find(call.message.value<AnyRequest>().podSandboxId) : undefined;
    if (sandbox !== undefined) {
      sandbox.creating = Math.max(0, sandbox.creating - 1);
      sandbox.createdAt = replyLine;
      if (isOpenEnded) sandbox.isWhole = false;
    }
    for (const object of touched(store, method, call.message.value())) {
      object.changing = Math.max(0, object.changing - 1);
      object.changedAt = replyLine;
    }
  };

  return {
    byId: store.byId,
    live: store.live,
    find,
    containersOf: store.containersOf,
    get changedAt() {
      return changedAt;
    },
    isStill: (object, since) => object.changing === 0 && object.changedAt <= since,
    wasAlone: (object, { method, callLine }) =>
      CHANGING.has(method) && method !== 'CreateContainer'
        ? object.alone === callLine
        : object.changing === 0 && object.changedAt <= callLine,
    learn: (object, line) => {
      changedAt = line;
      return store.add({ ...object, madeAt: 0, presence: 'present', presenceLine: line });
    },
    noted: (line) => {
      changedAt = line;
    },
    before: { called: began, answered: done },
    after: { answered: (exchange) => conclude(store, exchange), forget: store.clear },
  };
}

/** The objects that a changing call can change. */
function touched({ find, containersOf }: ObjectStore, method: string, request: AnyRequest): TrackedObject[] {
  const container = find(request.containerId);
  if (container !== undefined) return [container];
  const sandbox = find(request.podSandboxId);
  if (sandbox === undefined) return [];
  return method === 'CreateContainer' ? [] : [sandbox, ...containersOf(sandbox.id)];
}

/** What follows from a changing call that is over. */
function conclude(store: ObjectStore, exchange: AnsweredCall): void {
  const { method, call, isOk } = exchange;
  if (!CHANGING.has(method)) return;
  if (isOk) concludeDone(store, exchange);
  else doubt(store, exchange, touched(store, method, call.message.value()));
}

/**
 * A call without an answer may have been done, or be done later. A start that failed may remove the
 * container (CRI-O), a removal that failed may be done in part.
 */
function doubt(store: ObjectStore, exchange: AnsweredCall, objects: readonly TrackedObject[]): void {
  const { method, callLine, replyLine, isOpenEnded } = exchange;
  for (const object of objects) {
    // What was learned during this call it may not have met.
    const wasCreated = object.least === 0 || object.leastLine > callLine;
    const hasFailed = method === 'StartContainer' && !isOpenEnded && wasCreated;
    if (hasFailed && object.leastBy === 'StartContainer') object.failedStart = true;
    const mayBeGone = /^Remove/.test(method) || (hasFailed && !object.failedStart);
    if (mayBeGone && object.presence === 'present') store.setPresence(object, 'unknown', replyLine);
  }
}

function concludeDone(store: ObjectStore, exchange: AnsweredCall): void {
  const { method, call, reply, replyLine } = exchange;
  const request = call.message.value<AnyRequest>();
  const answer = reply.message?.value<AnyReply>() ?? {};
  const objects = touched(store, method, request);
  switch (method) {
    case 'RunPodSandbox':
    case 'RestorePod':
      addSandbox(store, exchange, request, answer);
      return;
    case 'CreateContainer':
      addContainer(store, exchange, request, answer);
      return;
    case 'StartContainer':
      for (const object of objects) {
        raise(object, 1, exchange);
        object.hasRun = true;
      }
      return;
    case 'StopContainer':
      for (const object of objects) if (hadStarted(object, exchange)) raise(object, 2, exchange);
      return;
    case 'StopPodSandbox':
      for (const object of objects)
        if (object.kind === 'sandbox' || hadStarted(object, exchange)) raise(object, 2, exchange);
      return;
    case 'RemovePodSandbox':
    case 'RemoveContainer':
      for (const object of objects) store.setPresence(object, 'gone', replyLine);
  }
}

/** Adds the sandbox that an answer names, and the containers that were restored in it. */
function addSandbox(store: ObjectStore, exchange: AnsweredCall, request: AnyRequest, answer: AnyReply): void {
  const { podSandboxId: sandboxId } = answer;
  if (!sandboxId) return;
  const { callLine: madeAt, replyLine: presenceLine } = exchange;
  const common = { sandboxId, madeAt, presence: 'present' as const, presenceLine };
  store.add({ ...common, id: sandboxId, kind: 'sandbox', name: sandboxName(request.config?.metadata) });
  for (const { containerId, name } of answer.restoredContainers ?? []) {
    const { metadata } = request.containerConfigs?.find((each) => each.metadata?.name === name) ?? {};
    store.add({ ...common, id: containerId, kind: 'container', name: containerName(metadata) });
  }
}

/** Adds the container that an answer names. Whether it is still there is unknown if its sandbox changed meanwhile. */
function addContainer(
  store: ObjectStore,
  exchange: AnsweredCall,
  request: AnyRequest,
  answer: AnyReply,
): void {
  if (!answer.containerId) return;
  const { callLine, replyLine } = exchange;
  const sandbox = store.find(request.podSandboxId);
  const isUnsure = sandbox !== undefined && (sandbox.changing > 0 || sandbox.changedAt > callLine);
  const made = store.add({
    id: answer.containerId,
    kind: 'container',
    sandboxId: sandbox?.id ?? request.podSandboxId ?? '',
    name: containerName(request.config?.metadata),
    madeAt: callLine,
    presence: isUnsure ? 'unknown' : 'present',
    presenceLine: replyLine,
  });
  // What changed the sandbox meanwhile was a stop or a removal, which may have met the container.
  made.stopTried = isUnsure;
}

/** Whether a container is known to have been started before this call: a stop that overlaps the start may come first. */
const hadStarted = ({ least, leastLine }: TrackedObject, { callLine }: AnsweredCall): boolean =>
  least > 0 && leastLine < callLine;

function raise(object: TrackedObject, least: number, { method, replyLine }: AnsweredCall): void {
  if (least <= object.least) return;
  object.least = least;
  object.leastLine = replyLine;
  object.leastBy = method;
}

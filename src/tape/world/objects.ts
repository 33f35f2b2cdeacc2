import type { AnyRequest } from '../../cri/subject.js';
import { createObjectStore, type ObjectStore } from './object-store.js';
import { containerName, sandboxName } from './shown.js';
import type { TrackedObject } from './tracked-object.js';
import type { AnsweredCall, OpenCall, Watcher } from './watcher.js';

export interface Objects extends Pick<ObjectStore, 'byId' | 'live' | 'find' | 'containersOf'> {
  /** Line at which something about any object was last learned or may have changed. */
  readonly changedAt: number;
  /** Whether nothing has changed the object since the line, and no call is changing it. */
  isStill(object: TrackedObject, since: number): boolean;
  /** Whether no other call changed the object during this finished one. */
  wasAlone(object: TrackedObject, exchange: AnsweredCall): boolean;
  /** Adds an object from before the tape. */
  learn(object: Pick<TrackedObject, 'id' | 'kind' | 'sandboxId' | 'name'>, line: number): TrackedObject;
  /** Records that an observation raised a state, or confirmed an object's existence. */
  noted(line: number): void;
  /** Counts changing calls; precedes the watchers that ask. */
  readonly before: Watcher;
  /** Derives states from changing calls; follows the watchers that compare. */
  readonly after: Watcher;
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

function touched({ find, containersOf }: ObjectStore, method: string, request: AnyRequest): TrackedObject[] {
  const container = find(request.containerId);
  if (container !== undefined) return [container];
  const sandbox = find(request.podSandboxId);
  if (sandbox === undefined) return [];
  return method === 'CreateContainer' ? [] : [sandbox, ...containersOf(sandbox.id)];
}

function conclude(store: ObjectStore, exchange: AnsweredCall): void {
  const { method, call, isOk } = exchange;
  if (!CHANGING.has(method)) return;
  if (isOk) concludeDone(store, exchange);
  else doubt(store, exchange, touched(store, method, call.message.value()));
}

/** An unanswered call may still be executed, a failed start may remove the container (CRI-O), a removal be partial. */
function doubt(store: ObjectStore, exchange: AnsweredCall, objects: readonly TrackedObject[]): void {
  const { method, callLine, replyLine, isOpenEnded } = exchange;
  for (const object of objects) {
    // The call may not have affected what was learned during it.
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

/** Adds the container in a reply. Its presence is unknown if its sandbox changed in the meantime. */
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
  // A concurrent stop or removal of the sandbox may have affected the container.
  made.stopTried = isUnsure;
}

/** Whether a container is known to have started before this call: a stop that overlaps the start may come first. */
const hadStarted = ({ least, leastLine }: TrackedObject, { callLine }: AnsweredCall): boolean =>
  least > 0 && leastLine < callLine;

function raise(object: TrackedObject, least: number, { method, replyLine }: AnsweredCall): void {
  if (least <= object.least) return;
  object.least = least;
  object.leastLine = replyLine;
  object.leastBy = method;
}

import type { Exchange, OpenCall, Watcher } from './exchange.js';

/** What is known of a sandbox or container from the calls that have passed. */
export interface TrackedObject {
  readonly id: string;
  readonly kind: 'sandbox' | 'container';
  /** The sandbox of a container. */
  readonly sandboxId: string;
  /** `default/web (u1) attempt 0`, or `app attempt 0`: unique among those that are there. */
  readonly name: string;
  /** Line of the call that made it; 0 for one that was there before. */
  readonly madeAt: number;
  /** Whether it is there: unknown after a call whose end was not seen. */
  presence: 'present' | 'gone' | 'unknown';
  /** The line from which `presence` holds. */
  presenceLine: number;
  /** The least state that it can be in: 0 created, 1 running, 2 exited; of a sandbox 0 ready, 2 not ready. */
  least: number;
  leastLine: number;
  /** The RPC that `least` follows from; empty for an observation. */
  leastBy: string;
  /** Whether a start was tried: else a container stays created. */
  startTried: boolean;
  /** Changing calls that are under way. */
  changing: number;
  /** The line at which the last changing call began or ended. */
  changedAt: number;
  /** The line of the last changing call that began while no other one was under way; 0 once another one overlaps it. */
  alone: number;
  /** Of a sandbox: whether no call can have made a container that is not known. */
  isWhole: boolean;
  /** Of a sandbox: creations under way, and the line at which the last one ended. */
  creating: number;
  createdAt: number;
}

/** The objects of one conversation. */
export interface Objects {
  readonly byId: ReadonlyMap<string, TrackedObject>;
  /** Those that are not known to be gone. */
  readonly live: ReadonlySet<TrackedObject>;
  /** The line at which something about any object was learned last, or may have changed. */
  readonly changedAt: number;
  /** The object of an id or of a prefix that only one has. */
  find(id: string | undefined): TrackedObject | undefined;
  /** Whether nothing changed the object since the line, and nothing changes it now. */
  isStill(object: TrackedObject, since: number): boolean;
  /** Whether no other call changed the object during this one, which is over. */
  wasAlone(object: TrackedObject, exchange: Exchange): boolean;
  containersOf(sandboxId: string): TrackedObject[];
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

interface Named {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly attempt: number;
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

/** Gone objects that are remembered. */
const MOST_GONE = 5000;

/** The name of a sandbox as rules compare it. */
export const sandboxName = (metadata: Named | undefined): string =>
  metadata === undefined
    ? ''
    : `${metadata.namespace}/${metadata.name} (uid ${metadata.uid}) attempt ${metadata.attempt}`;

/** The name of a container within its sandbox. */
export const containerName = (metadata: Named | undefined): string =>
  metadata === undefined ? '' : `${metadata.name} attempt ${metadata.attempt}`;

/** Knows nothing at first. */
export function createObjects(): Objects {
  const byId = new Map<string, TrackedObject>();
  const live = new Set<TrackedObject>();
  const bySandbox = new Map<string, TrackedObject[]>();
  const gone = new Set<TrackedObject>();
  let changedAt = 0;

  const find = (id: string | undefined): TrackedObject | undefined => {
    if (id === undefined || id === '') return undefined;
    const exact = byId.get(id);
    if (exact !== undefined || id.length >= 64) return exact;
    const fitting = [...live].filter((each) => each.id.startsWith(id));
    return fitting.length === 1 ? fitting[0] : undefined;
  };
  const containersOf = (sandboxId: string) => bySandbox.get(sandboxId) ?? [];
  /** The objects that a changing call can change. */
  const touched = (method: string, request: AnyRequest): TrackedObject[] => {
    const container = find(request.containerId);
    if (container !== undefined) return [container];
    const sandbox = find(request.podSandboxId);
    if (sandbox === undefined) return [];
    return method === 'CreateContainer' ? [] : [sandbox, ...containersOf(sandbox.id)];
  };
  const add = (
    object: Omit<
      TrackedObject,
      | 'changing'
      | 'changedAt'
      | 'alone'
      | 'least'
      | 'leastLine'
      | 'leastBy'
      | 'startTried'
      | 'isWhole'
      | 'creating'
      | 'createdAt'
    >,
  ): TrackedObject => {
    const made: TrackedObject = {
      ...object,
      alone: 0,
      isWhole: object.madeAt > 0,
      creating: 0,
      createdAt: 0,
      leastBy: '',
      least: 0,
      leastLine: 0,
      startTried: false,
      changing: 0,
      changedAt: object.presenceLine,
    };
    byId.set(object.id, made);
    live.add(made);
    if (made.kind === 'container') bySandbox.set(made.sandboxId, [...containersOf(made.sandboxId), made]);
    return made;
  };
  const drop = (object: TrackedObject) => {
    gone.delete(object);
    if (byId.get(object.id) === object) byId.delete(object.id);
    if (object.kind === 'sandbox') bySandbox.delete(object.id);
  };
  const setPresence = (object: TrackedObject, presence: TrackedObject['presence'], line: number) => {
    if (presence === 'gone' && object.presence !== 'gone') {
      live.delete(object);
      gone.add(object);
      const [oldest] = gone;
      if (gone.size > MOST_GONE && oldest !== undefined) drop(oldest);
    }
    object.presence = presence;
    object.presenceLine = line;
  };
  const raise = (object: TrackedObject, least: number, { method, replyLine }: Exchange) => {
    if (least <= object.least) return;
    object.least = least;
    object.leastLine = replyLine;
    object.leastBy = method;
  };

  const began = ({ call, line }: OpenCall) => {
    if (!CHANGING.has(call.method)) return;
    changedAt = line;
    const sandbox =
      call.method === 'CreateContainer' ? find(call.message.value<AnyRequest>().podSandboxId) : undefined;
    if (sandbox !== undefined) sandbox.creating++;
    for (const object of touched(call.method, call.message.value())) {
      object.alone = object.changing === 0 ? line : 0;
      object.changing++;
      object.changedAt = line;
      if (call.method === 'StartContainer') object.startTried = true;
    }
  };
  const done = ({ method, call, replyLine, isOpenEnded }: Exchange) => {
    if (!CHANGING.has(method)) return;
    changedAt = replyLine;
    const sandbox =
      method === 'CreateContainer' ? find(call.message.value<AnyRequest>().podSandboxId) : undefined;
    if (sandbox !== undefined) {
      sandbox.creating = Math.max(0, sandbox.creating - 1);
      sandbox.createdAt = replyLine;
      if (isOpenEnded) sandbox.isWhole = false;
    }
    for (const object of touched(method, call.message.value())) {
      object.changing = Math.max(0, object.changing - 1);
      object.changedAt = replyLine;
    }
  };

  const conclude = (exchange: Exchange) => {
    const { method, call, reply, callLine, replyLine, isOk, isOpenEnded } = exchange;
    if (!CHANGING.has(method)) return;
    const request = call.message.value<AnyRequest>();
    const objects = touched(method, request);
    if (isOpenEnded) {
      // It may have been done, or be done later.
      for (const object of objects)
        if (/^Remove/.test(method) && object.presence === 'present')
          setPresence(object, 'unknown', replyLine);
      return;
    }
    if (!isOk) {
      // A start that failed may remove the container (CRI-O), a removal that failed may be done in part.
      for (const object of objects) {
        const mayBeGone = method === 'StartContainer' ? object.least === 0 : /^Remove/.test(method);
        if (mayBeGone && object.presence === 'present') setPresence(object, 'unknown', replyLine);
      }
      return;
    }
    const answer = reply.message?.value<AnyReply>() ?? {};
    if (method === 'RunPodSandbox' && answer.podSandboxId) {
      const { metadata } = request.config ?? {};
      add({
        id: answer.podSandboxId,
        kind: 'sandbox',
        sandboxId: answer.podSandboxId,
        name: sandboxName(metadata),
        madeAt: callLine,
        presence: 'present',
        presenceLine: replyLine,
      });
    } else if (method === 'CreateContainer' && answer.containerId) {
      const sandbox = find(request.podSandboxId);
      add({
        id: answer.containerId,
        kind: 'container',
        sandboxId: sandbox?.id ?? request.podSandboxId ?? '',
        name: containerName(request.config?.metadata),
        madeAt: callLine,
        presence:
          sandbox !== undefined && (sandbox.changing > 0 || sandbox.changedAt > callLine)
            ? 'unknown'
            : 'present',
        presenceLine: replyLine,
      });
    } else if (method === 'RestorePod' && answer.podSandboxId) {
      const sandboxId = answer.podSandboxId;
      const common = { sandboxId, madeAt: callLine, presence: 'present' as const, presenceLine: replyLine };
      add({ ...common, id: sandboxId, kind: 'sandbox', name: sandboxName(request.config?.metadata) });
      for (const { containerId, name } of answer.restoredContainers ?? []) {
        const { metadata } = request.containerConfigs?.find((each) => each.metadata?.name === name) ?? {};
        add({ ...common, id: containerId, kind: 'container', name: containerName(metadata) });
      }
    } else if (method === 'StartContainer') {
      for (const object of objects) raise(object, 1, exchange);
    } else if (method === 'StopContainer') {
      // A stop that overlaps the start may have been before it.
      for (const object of objects) if (object.least > 0) raise(object, 2, exchange);
    } else if (method === 'StopPodSandbox') {
      for (const object of objects)
        if (object.kind === 'sandbox' || object.least > 0) raise(object, 2, exchange);
    } else if (/^Remove/.test(method)) {
      for (const object of objects) setPresence(object, 'gone', replyLine);
    }
  };

  const forget = () => {
    for (const each of [byId, live, bySandbox, gone]) each.clear();
  };
  return {
    byId,
    live,
    get changedAt() {
      return changedAt;
    },
    find,
    containersOf,
    isStill: (object, since) => object.changing === 0 && object.changedAt <= since,
    wasAlone: (object, { method, callLine }) =>
      CHANGING.has(method) && method !== 'CreateContainer'
        ? object.alone === callLine
        : object.changing === 0 && object.changedAt <= callLine,
    learn: (object, line) => {
      changedAt = line;
      return add({ ...object, madeAt: 0, presence: 'present', presenceLine: line });
    },
    noted: (line) => {
      changedAt = line;
    },
    before: { called: began, answered: done },
    after: { answered: conclude, forget },
  };
}

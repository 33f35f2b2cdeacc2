import {
  type Container,
  ContainerState,
  type ContainerStatus,
  type ContainerStatusResponse,
  type ListContainersRequest,
  type ListContainersResponse,
  type ListPodSandboxRequest,
  type ListPodSandboxResponse,
  type PodSandbox,
  PodSandboxState,
  type PodSandboxStatus,
  type PodSandboxStatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Message } from '../../message.js';
import type { Configs } from '../conversation/configs.js';
import type { Objects } from '../conversation/objects.js';
import { containerName, sandboxName, type TrackedObject } from '../conversation/tracked-object.js';
import type { AnsweredCall, Watcher } from '../conversation/watcher.js';
import type { Findings } from '../finding.js';

/** An observation of a sandbox or container, in a list or a status. */
export type Observation = {
  readonly exchange: AnsweredCall;
  readonly id: string;
  /** 0 created, 1 running, 2 exited; for a sandbox 0 ready, 2 not ready. */
  readonly state: number;
} & (
  | { readonly kind: 'sandbox'; readonly seen: PodSandbox | PodSandboxStatus }
  | { readonly kind: 'container'; readonly seen: Container | ContainerStatus }
);

/** Nanoseconds of a time after the year 2001. */
const RECENT = 10n ** 18n;

const stateNames = {
  sandbox: ['READY', 'READY', 'NOTREADY'],
  container: ['CREATED', 'RUNNING', 'EXITED'],
} as const;

const sandboxState = (state: PodSandboxState): number => (state === PodSandboxState.SANDBOX_READY ? 0 : 2);
/** Nothing follows from an unknown state. */
const containerState = (state: ContainerState): number =>
  state === ContainerState.CONTAINER_UNKNOWN ? Number.NaN : state;

export function observationsIn(exchange: AnsweredCall): Observation[] {
  const { method, reply, isOk } = exchange;
  const { message } = reply;
  if (!isOk || message === undefined) return [];
  const sandbox = (seen: PodSandbox | PodSandboxStatus): Observation => ({
    exchange,
    id: seen.id,
    kind: 'sandbox',
    state: sandboxState(seen.state),
    seen,
  });
  const container = (seen: Container | ContainerStatus): Observation => ({
    exchange,
    id: seen.id,
    kind: 'container',
    state: containerState(seen.state),
    seen,
  });
  switch (method) {
    case 'ListPodSandbox':
      return message.value<ListPodSandboxResponse>().items.map(sandbox);
    case 'ListContainers':
      return message.value<ListContainersResponse>().containers.map(container);
    case 'PodSandboxStatus': {
      const { status } = message.value<PodSandboxStatusResponse>();
      return status ? [sandbox(status)] : [];
    }
    case 'ContainerStatus': {
      const { status } = message.value<ContainerStatusResponse>();
      return status ? [container(status)] : [];
    }
    default:
      return [];
  }
}

/** Detects replies that repeat one examined with the same knowledge: a kubelet's lists repeat every second. */
export function createMemory(objects: Objects): (exchange: AnsweredCall) => boolean {
  const examined = new WeakMap<Message, { readonly request: string; readonly line: number }>();
  return ({ call, reply, callLine }) => {
    if (reply.message === undefined) return false;
    const before = examined.get(reply.message);
    const request = JSON.stringify(call.message.json());
    if (before?.request === request && before.line >= objects.changedAt) return true;
    examined.set(reply.message, { request, line: callLine });
    return false;
  };
}

/** Compares lists and statuses with the effects of earlier calls (INV-01 to INV-09, INV-15, INV-21). */
export function watchStates(objects: Objects, configs: Configs, findings: Findings): Watcher {
  const isSeen = createMemory(objects);
  return {
    answered: (exchange) => {
      if (isSeen(exchange)) return;
      for (const observation of observationsIn(exchange)) judge(observation, objects, findings);
      judgeAbsence(exchange, objects, configs, findings);
    },
  };
}

function judge(observation: Observation, objects: Objects, findings: Findings): void {
  const { exchange, id, kind, state, seen } = observation;
  const { callLine, replyLine } = exchange;
  const object = objects.byId.get(id);
  if (object === undefined) {
    // A container's status does not name its sandbox.
    const sandboxId = kind === 'sandbox' ? id : 'podSandboxId' in seen ? seen.podSandboxId : '';
    const sandbox = kind === 'sandbox' ? undefined : objects.byId.get(sandboxId);
    if (sandbox?.isWhole && sandbox.creating === 0 && sandbox.createdAt < callLine)
      findings.add(
        'INV-13.failed-create',
        id,
        `${exchange.method} shows a container in ${sandbox.name} that no call has created`,
        [sandbox.createdAt || sandbox.madeAt, replyLine],
      );
    const name = kind === 'sandbox' ? sandboxName(seen.metadata) : containerName(seen.metadata);
    const learned = objects.learn({ id, kind, sandboxId, name }, replyLine);
    learned.startTried = true;
    learned.least = Number.isNaN(state) ? 0 : state;
    learned.leastLine = replyLine;
    learned.hasRun = state === ContainerState.CONTAINER_RUNNING;
    // A call in progress may have created it, or be about to remove it.
    learned.presence = 'unknown';
    return;
  }
  if (object.presence === 'gone' && object.presenceLine <= callLine) {
    const rule = kind === 'sandbox' ? 'INV-01.lifecycle' : 'INV-06.removes-containers';
    findings.add(rule, id, `${exchange.method} shows the ${kind} ${object.name}, which was removed before`, [
      object.presenceLine,
      replyLine,
    ]);
    return;
  }
  const isStill = objects.isStill(object, callLine);
  if (isStill) object.failedStart = false;
  if (object.presence === 'unknown' && isStill) {
    object.presence = 'present';
    object.presenceLine = replyLine;
    objects.noted(replyLine);
  }
  if (Number.isNaN(state)) return;
  const shown = stateNames[kind][state];
  if (state < object.least && object.leastLine <= callLine) {
    const { least, leastBy } = object;
    const before = leastBy.startsWith('Stop') ? `${leastBy} was OK` : `it was ${stateNames[kind][least]}`;
    findings.add(lowered(object, state), id, `${object.name} is ${shown} after ${before}`, [
      object.leastLine,
      replyLine,
    ]);
  } else if (kind === 'container' && state > 0 && !object.startTried && isStill) {
    const isStopped = state === ContainerState.CONTAINER_EXITED && object.stopTried;
    findings.add(
      isStopped ? 'INV-04.stop-created' : 'INV-02.lifecycle',
      id,
      `${object.name} is ${shown}${isStopped ? ' after a stop' : ''}, and nobody has started it`,
      [object.madeAt, replyLine],
    );
  }
  if (state === ContainerState.CONTAINER_RUNNING) object.hasRun = true;
  if (state >= object.least) object.leastBy = '';
  if (state > object.least) {
    object.least = state;
    object.leastLine = replyLine;
    objects.noted(replyLine);
  }
}

/** The rule broken by a state below the earlier one. A container never seen EXITED need not have ended. */
function lowered({ kind, least, leastBy }: TrackedObject, state: number): string {
  if (kind === 'sandbox') return 'INV-01.lifecycle';
  if (leastBy === 'StopPodSandbox') return 'INV-05.stops-containers';
  return least === 2 && state === 1 && leastBy === '' ? 'INV-02.no-restart' : 'INV-02.lifecycle';
}

/** Objects missing from a reply: in a list, or as NOT_FOUND of a status. */
function judgeAbsence(exchange: AnsweredCall, objects: Objects, configs: Configs, findings: Findings): void {
  const { method, call, reply, callLine, replyLine, isOk, isOpenEnded, stream } = exchange;
  const missing = (object: TrackedObject, rule: string, text: string) => {
    if (object.presence !== 'present' || object.presenceLine > callLine) return;
    if (!objects.isStill(object, callLine)) return;
    const sandbox = objects.byId.get(object.sandboxId);
    if (sandbox !== undefined && !objects.isStill(sandbox, callLine)) return;
    const { id, name, failedStart } = object;
    const why = failedStart
      ? 'which a StartContainer has removed that failed during another one'
      : 'which nobody has removed';
    findings.add(failedStart ? 'INV-15.start' : rule, id, `${text} ${name}, ${why}`, [
      object.presenceLine,
      replyLine,
    ]);
    if (failedStart || rule === 'INV-21.snapshot') object.presence = 'unknown';
  };
  if (isOk && (method === 'ListPodSandbox' || method === 'ListContainers')) {
    const { filter } = call.message.value<ListPodSandboxRequest | ListContainersRequest>();
    const isEmpty = isEmptyFilter(filter);
    const kind = method === 'ListPodSandbox' ? 'sandbox' : 'container';
    const given = filter === undefined ? 'INV-21.snapshot' : isEmpty ? 'INV-19.empty' : filterRules[kind];
    const rule = stream ? `INV-20.${stream}` : given;
    const shown = new Set(observationsIn(exchange).map(({ id }) => id));
    for (const object of objects.live)
      if (object.kind === kind && !shown.has(object.id))
        if (isEmpty || surelyFits(object, filter, configs))
          missing(object, rule, `${stream ?? method} lacks`);
  }
  if (isOk && method === 'PodSandboxStatus' && reply.message !== undefined) {
    const { status, timestamp, containersStatuses } = reply.message.value<PodSandboxStatusResponse>();
    const shown = new Set(containersStatuses.map(({ id }) => id));
    const { id = '', metadata } = status ?? {};
    if (timestamp !== 0n && timestamp < RECENT)
      findings.add(
        'INV-58.status',
        id,
        `the timestamp of ${metadata?.name} is ${timestamp}, no time in nanoseconds`,
        [replyLine],
      );
    // With a timestamp or a status, a kubelet takes the statuses for all that there are.
    const rule = shown.size === 0 ? 'INV-58.status' : 'INV-67.statuses';
    if (timestamp !== 0n || shown.size > 0)
      for (const object of objects.containersOf(id))
        if (!shown.has(object.id))
          missing(object, rule, `with timestamp ${timestamp}, PodSandboxStatus lacks`);
  }
  const isStatus = method === 'ContainerStatus' || method === 'PodSandboxStatus';
  if (isStatus && !isOk && !isOpenEnded && reply.code === 'NOT_FOUND') {
    const request = call.message.value<{ containerId?: string; podSandboxId?: string }>();
    const id = request.containerId ?? request.podSandboxId ?? '';
    const object = objects.byId.get(id);
    if (object !== undefined) missing(object, 'INV-21.snapshot', `${method} does not find`);
  }
}

const filterRules = { sandbox: 'INV-19.sandboxes', container: 'INV-19.containers' } as const;

/** Whether an object matches a filter for certain: a container may end by itself, and a sandbox may fail. */
function surelyFits(
  object: TrackedObject,
  filter: ListPodSandboxRequest['filter'] | ListContainersRequest['filter'],
  configs: Configs,
): boolean {
  if (filter === undefined) return true;
  const { id, state, labelSelector } = filter;
  const podSandboxId = 'podSandboxId' in filter ? filter.podSandboxId : '';
  if (!object.id.startsWith(id) || !object.sandboxId.startsWith(podSandboxId)) return false;
  if (state !== undefined && surelyState(object) !== state.state) return false;
  const known = configs.get(object.id);
  const isSure = known?.isRequest || Object.keys(labelSelector).length === 0;
  return isSure && Object.entries(labelSelector).every(([key, value]) => known?.labels[key] === value);
}

function surelyState({ kind, least, madeAt, startTried }: TrackedObject): number | undefined {
  if (kind === 'sandbox') return least === 2 ? PodSandboxState.SANDBOX_NOTREADY : undefined;
  if (least === 2) return ContainerState.CONTAINER_EXITED;
  return madeAt > 0 && !startTried ? ContainerState.CONTAINER_CREATED : undefined;
}

/** A filter that matches everything (INV-19.empty). */
export function isEmptyFilter(filter: object | undefined): boolean {
  return Object.values(filter ?? {}).every(
    (value) =>
      value === undefined || value === '' || (typeof value === 'object' && Object.keys(value).length === 0),
  );
}

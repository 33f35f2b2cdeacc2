import {
  ContainerState,
  type ListContainersRequest,
  type ListPodSandboxRequest,
  PodSandboxState,
  type PodSandboxStatusResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Message } from '../../message.js';
import type { Configs } from '../../world/configs.js';
import type { Objects } from '../../world/objects.js';
import { isEmptyFilter, nameOf, type Shown, shownIn, stateNames } from '../../world/shown.js';
import type { TrackedObject } from '../../world/tracked-object.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

/** Nanoseconds of a time after the year 2001. */
export const RECENT = 10n ** 18n;

/** Every sandbox and container that a successful reply shows. */
export const observationsIn = ({ method, reply, isOk }: AnsweredCall): readonly Shown[] =>
  isOk && reply.message !== undefined ? shownIn(method, reply.message) : [];

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
      for (const shown of observationsIn(exchange)) judge(shown, exchange, objects, findings);
      judgeAbsence(exchange, objects, configs, findings);
    },
  };
}

function judge(shown: Shown, exchange: AnsweredCall, objects: Objects, findings: Findings): void {
  const { id, kind, sandboxId, state } = shown;
  const { callLine, replyLine } = exchange;
  const object = objects.byId.get(id);
  if (object === undefined) {
    const sandbox = kind === 'sandbox' ? undefined : objects.byId.get(sandboxId);
    if (sandbox?.isWhole && sandbox.creating === 0 && sandbox.createdAt < callLine)
      findings.add(
        'INV-13.failed-create',
        id,
        `${exchange.method} shows a container in ${sandbox.name} that no call has created`,
        [sandbox.createdAt || sandbox.madeAt, replyLine],
      );
    const learned = objects.learn({ id, kind, sandboxId, name: nameOf(shown) }, replyLine);
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
  if (state < object.least && object.leastLine <= callLine) {
    const { least, leastBy } = object;
    const before = leastBy.startsWith('Stop') ? `${leastBy} was OK` : `it was ${textOf(kind, least)}`;
    findings.add(lowered(object, state), id, `${object.name} is ${textOf(kind, state)} after ${before}`, [
      object.leastLine,
      replyLine,
    ]);
  } else if (kind === 'container' && state > 0 && !object.startTried && isStill) {
    const isStopped = state === ContainerState.CONTAINER_EXITED && object.stopTried;
    findings.add(
      isStopped ? 'INV-04.stop-created' : 'INV-02.lifecycle',
      id,
      `${object.name} is ${textOf(kind, state)}${isStopped ? ' after a stop' : ''}, and nobody has started it`,
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

const textOf = (kind: Shown['kind'], state: number) => stateNames[kind][state]?.toUpperCase();

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
      : 'which was not removed';
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
        `the timestamp of ${metadata?.name} is ${timestamp}, which is not a time in nanoseconds`,
        [replyLine],
      );
    // If there is a timestamp or a status, a kubelet assumes that the statuses are complete.
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

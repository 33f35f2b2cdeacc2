import type { RunPodSandboxRequest, StatusResponse, VersionResponse } from '../../cri/gen/runtime/v1/api.js';
import type { Exchange, Watcher } from './exchange.js';
import type { Findings } from './finding.js';
import { containerName, type Objects, sandboxName } from './objects.js';

interface AnyRequest {
  readonly podSandboxId?: string;
  readonly containerId?: string;
}

const STOPS = /^(Stop|Remove)(Container|PodSandbox)$/;
const NEEDS = /^(StartContainer|ExecSync|Exec|Attach|ContainerStatus|PodSandboxStatus)$/;

/** Holds the answer of each call against the rules for it (INV-03, 08 to 15, 36, 50, 51). */
export function watchCalls(objects: Objects, findings: Findings): Watcher {
  const constants = new Map<string, { readonly text: string; readonly line: number }>();
  /** What must not change while a runtime runs. `key` says what it is. */
  const constant = (key: string, text: string, line: number) => {
    const before = constants.get(key);
    if (before !== undefined && before.text !== text)
      findings.add('INV-50.constant', key, `${key} changes from ${before.text} to ${text}`, [
        before.line,
        line,
      ]);
    constants.set(key, { text, line });
  };

  const versions = ({ method, reply, replyLine, isOk }: Exchange) => {
    if (method !== 'Version' || !isOk || reply.message === undefined) return;
    const answer = reply.message.value<VersionResponse>();
    const text = JSON.stringify(answer);
    if (Object.values(answer).some((each) => each === ''))
      findings.add('INV-50.version', 'version', `Version leaves a field empty: ${text}`, [replyLine]);
    constant('the version', text, replyLine);
  };

  const handlers = ({ method, reply, replyLine, isOk }: Exchange) => {
    if (method !== 'Status' || !isOk || reply.message === undefined) return;
    const names = reply.message.value<StatusResponse>().runtimeHandlers.map(({ name }) => name);
    constant('the list of runtime handlers', JSON.stringify(names.sort()), replyLine);
  };

  const idempotence = ({ method, call, reply, callLine, replyLine, isOk, isOpenEnded }: Exchange) => {
    if (!STOPS.test(method) || isOk || isOpenEnded) return;
    const request = call.message.value<AnyRequest>();
    const id = request.containerId ?? request.podSandboxId ?? '';
    if (id === '') return;
    const object = objects.find(id);
    const isGone =
      object === undefined
        ? reply.code === 'NOT_FOUND'
        : object.presence === 'gone' && object.presenceLine < callLine;
    if (isGone)
      findings.add(
        'INV-08.unknown',
        id,
        `${method} of what is not there answers ${reply.code}: ${reply.details ?? ''}`,
        [object?.presenceLine ?? 0, replyLine],
      );
  };

  const absent = ({ method, call, reply, callLine, replyLine, isOk, isOpenEnded }: Exchange) => {
    if (!NEEDS.test(method) || isOpenEnded) return;
    const request = call.message.value<AnyRequest>();
    const object = objects.find(request.containerId ?? request.podSandboxId);
    if (object?.presence !== 'gone' || object.presenceLine > callLine) return;
    if (isOk || reply.code !== 'NOT_FOUND')
      findings.add(
        'INV-09.not-found',
        object.id,
        `${method} of ${object.name}, which was removed, answers ${reply.code}`,
        [object.presenceLine, replyLine],
      );
  };

  const states = ({ method, call, callLine, replyLine, isOk }: Exchange) => {
    if (!isOk) return;
    const request = call.message.value<AnyRequest>();
    const object = objects.find(request.containerId ?? request.podSandboxId);
    if (object === undefined) return;
    const wasSo = object.leastLine < callLine && object.changedAt <= replyLine;
    if (method === 'StartContainer' && object.least > 0 && wasSo && object.leastLine > 0)
      findings.add(
        object.least === 2 ? 'INV-03.start-exited' : 'INV-03.start-running',
        object.id,
        `StartContainer of ${object.name} is OK, although it was started before`,
        [object.leastLine, replyLine],
      );
    const sandbox = objects.byId.get(object.sandboxId);
    const isStopped = sandbox?.least === 2 && sandbox.leastLine < callLine;
    if (method === 'StartContainer' && isStopped)
      findings.add(
        'INV-03.start-not-ready',
        object.id,
        `StartContainer of ${object.name} is OK in a sandbox that is stopped`,
        [sandbox.leastLine, replyLine],
      );
    if (method === 'CreateContainer' && isStopped)
      findings.add(
        'INV-03.not-ready',
        object.id,
        `CreateContainer is OK in ${object.name}, which is stopped`,
        [sandbox.leastLine, replyLine],
      );
    if ((method === 'ExecSync' || method === 'Exec') && object.least === 2 && wasSo)
      findings.add(
        'INV-03.exec-not-running',
        object.id,
        `${method} is OK in ${object.name}, which has exited`,
        [object.leastLine, replyLine],
      );
  };

  const names = (exchange: Exchange) => {
    const { method, call, reply, callLine, replyLine, isOk } = exchange;
    if (!isOk || (method !== 'RunPodSandbox' && method !== 'CreateContainer')) return;
    const answer = reply.message?.value<{ podSandboxId?: string; containerId?: string }>();
    const isSandbox = method === 'RunPodSandbox';
    const id = isSandbox ? answer?.podSandboxId : answer?.containerId;
    if (!id) {
      findings.add('INV-10.empty-id', method, `${method} is OK without an id`, [replyLine]);
      return;
    }
    const known = objects.byId.get(id);
    if (known !== undefined && known.madeAt > 0 && known.madeAt !== callLine)
      findings.add('INV-14.ids', id, `${method} answers the id of ${known.name} again`, [
        known.madeAt,
        replyLine,
      ]);
    const { metadata } = call.message.value<RunPodSandboxRequest>().config ?? {};
    const name = isSandbox ? sandboxName(metadata) : containerName(metadata);
    const { podSandboxId } = call.message.value<AnyRequest>();
    for (const other of objects.byId.values()) {
      if (other.presence !== 'present' || other.presenceLine > callLine || other.id === id) continue;
      if (other.kind !== (isSandbox ? 'sandbox' : 'container') || other.name !== name) continue;
      if ((!isSandbox && other.sandboxId !== podSandboxId) || !objects.isStill(other, callLine)) continue;
      findings.add(
        isSandbox ? 'INV-12.sandbox' : 'INV-12.held',
        id,
        `${method} is OK for ${name}, whose name is in use`,
        [other.madeAt, replyLine],
      );
    }
  };

  const conditions = ({ method, reply, replyLine, isOk }: Exchange) => {
    if (method !== 'Status' || !isOk || reply.message === undefined) return;
    const shown = reply.message.value<StatusResponse>().status?.conditions ?? [];
    for (const type of ['RuntimeReady', 'NetworkReady']) {
      const condition = shown.find((each) => each.type === type);
      if (condition === undefined)
        findings.add('INV-51.conditions', type, `Status lacks ${type}`, [replyLine]);
      else if (!condition.status && condition.reason === '')
        findings.add('INV-51.conditions', type, `${type} is false without a reason`, [replyLine]);
    }
  };

  return {
    answered: (exchange) => {
      for (const look of [versions, handlers, idempotence, absent, states, names, conditions]) look(exchange);
    },
  };
}

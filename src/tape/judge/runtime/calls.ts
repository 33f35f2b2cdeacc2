import type { RunPodSandboxRequest } from '../../../cri/gen/runtime/v1/api.js';
import type { AnyRequest } from '../../../cri/subject.js';
import type { Objects } from '../../world/objects.js';
import { containerName, sandboxName } from '../../world/shown.js';
import type { AnsweredCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';

const STOPS = /^(Stop|Remove)(Container|PodSandbox)$/;
const NEEDS = /^(StartContainer|ExecSync|Exec|Attach|ContainerStatus|PodSandboxStatus)$/;

export function watchCalls(objects: Objects, findings: Findings): Watcher {
  return {
    answered: (exchange) => {
      for (const look of [judgeRepetition, judgeAbsence, judgeState, judgeCreation])
        look(exchange, objects, findings);
    },
  };
}

/** Stops and removals succeed when repeated, even for missing objects. */
function judgeRepetition(exchange: AnsweredCall, objects: Objects, findings: Findings): void {
  const { method, call, reply, callLine, replyLine, isOk, isOpenEnded } = exchange;
  if (!STOPS.test(method) || isOk || isOpenEnded) return;
  const request = call.message.value<AnyRequest>();
  const id = request.containerId ?? request.podSandboxId ?? '';
  if (id === '') return;
  const object = objects.find(id);
  const isGone =
    object === undefined
      ? reply.code === 'NOT_FOUND'
      : object.presence === 'gone' && object.presenceLine < callLine;
  const wasAlone = object !== undefined && objects.wasAlone(object, exchange);
  const isEnded = object?.presence === 'present' && object.least === 2 && object.leastLine < callLine;
  if (isEnded && wasAlone && /^Stop/.test(method))
    findings.add(
      'INV-08.repeated',
      id,
      `${method} of ${object.name}, which is stopped, answers ${reply.code}: ${reply.details ?? ''}`,
      [object.leastLine, replyLine],
    );
  const rejects = /^Remove/.test(method) && reply.code === 'FAILED_PRECONDITION';
  if (rejects && object?.presence === 'present' && wasAlone)
    findings.add(
      object.least === 1 ? 'INV-02.remove-running' : 'INV-02.remove-created',
      id,
      `${method} of ${object.name} is rejected: ${reply.details ?? ''}`,
      [object.presenceLine, replyLine],
    );
  if (isGone)
    findings.add(
      'INV-08.unknown',
      id,
      `${method} of an absent object returns ${reply.code}: ${reply.details ?? ''}`,
      [object?.presenceLine ?? 0, replyLine],
    );
}

function judgeAbsence(
  { method, call, reply, callLine, replyLine, isOk, isOpenEnded }: AnsweredCall,
  objects: Objects,
  findings: Findings,
): void {
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
}

function judgeState(
  { method, call, callLine, replyLine, isOk }: AnsweredCall,
  objects: Objects,
  findings: Findings,
): void {
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
    findings.add('INV-03.not-ready', object.id, `CreateContainer is OK in ${object.name}, which is stopped`, [
      sandbox.leastLine,
      replyLine,
    ]);
  const isNeverStarted = object.madeAt > 0 && !object.startTried && objects.isStill(object, callLine);
  if ((method === 'ExecSync' || method === 'Exec') && ((object.least === 2 && wasSo) || isNeverStarted))
    findings.add(
      'INV-03.exec-not-running',
      object.id,
      `${method} is OK in ${object.name}, which ${isNeverStarted ? 'was never started' : 'has exited'}`,
      [Math.max(object.leastLine, object.madeAt), replyLine],
    );
}

function judgeCreation(exchange: AnsweredCall, objects: Objects, findings: Findings): void {
  const { method, call, reply, callLine, replyLine, isOk } = exchange;
  if (!isOk || (method !== 'RunPodSandbox' && method !== 'CreateContainer')) return;
  const answer = reply.message?.value<{ podSandboxId?: string; containerId?: string }>();
  const isSandbox = method === 'RunPodSandbox';
  const id = isSandbox ? answer?.podSandboxId : answer?.containerId;
  if (!id) {
    findings.add('INV-10.empty-id', method, `${method} is OK without an id`, [replyLine]);
    return;
  }
  const { metadata } = call.message.value<RunPodSandboxRequest>().config ?? {};
  const name = isSandbox ? sandboxName(metadata) : containerName(metadata);
  // The log may lack the config.
  if (name === '') return;
  const before = objects.byId.get(id);
  if (before !== undefined && before.madeAt > 0 && before.madeAt !== callLine) {
    const isOwner = before.name === name && before.presence !== 'gone';
    const rule = isOwner ? 'INV-11.name-taken' : before.name === name ? 'INV-13.reuse' : 'INV-14.ids';
    findings.add(rule, id, `${method} answers the id of ${before.name} again`, [before.madeAt, replyLine]);
  }
  const { podSandboxId } = call.message.value<AnyRequest>();
  for (const other of objects.live) {
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
}

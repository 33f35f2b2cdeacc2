import type { Lifecycle, Lifecycles } from '../../world/lifecycles.js';
import type { Objects } from '../../world/objects.js';
import { stateNames } from '../../world/shown.js';
import type { TrackedObject } from '../../world/tracked-object.js';
import type { AnsweredCall, OpenCall, Watcher } from '../../world/watcher.js';
import type { Findings } from '../finding.js';
import {
  type ClientAnswer,
  type ClientBreach,
  type ClientCall,
  createClientRules,
  type KnownObject,
  type RefusedName,
  refusedName,
  usesName,
} from './client-rules.js';
import { titleOf } from './rules.js';

/** Objects are known from earlier calls, and from the runtime's own record if it is on the tape. */
export function watchClient(objects: Objects, lifecycles: Lifecycles, findings: Findings): Watcher {
  const rules = createClientRules();
  const find = ({ containerId, podSandboxId }: ClientCall['request'], line: number) => {
    const id = containerId ?? podSandboxId ?? '';
    const tracked = objects.find(id);
    return known(tracked, lifecycles.get(tracked?.id ?? id), line);
  };
  const known = (tracked: TrackedObject | undefined, lifecycle: Lifecycle | undefined, line: number) => {
    if (tracked?.presence === 'gone' || lifecycles.isRemoved(tracked?.id ?? '')) return undefined;
    if (lifecycle !== undefined) return recorded(lifecycle, tracked);
    return tracked && followed(tracked, objects.isStill(tracked, line));
  };
  const add = (method: string, breach: ClientBreach | undefined) => {
    if (breach !== undefined)
      findings.add(
        breach.rule,
        breach.id,
        `${method} ${titleOf(breach.rule)}: ${breach.detail}`,
        breach.lines,
      );
  };
  const ownerOf = ({ kind, name, sandboxId }: RefusedName, line: number): KnownObject | undefined => {
    const isOwner = (each: Pick<Lifecycle, 'kind' | 'name' | 'sandboxId'>) =>
      each.kind === kind && each.name === name && (kind === 'sandbox' || each.sandboxId === sandboxId);
    for (const each of objects.live)
      if (isOwner(each) && each.presence === 'present' && each.presenceLine <= line)
        return known(each, lifecycles.get(each.id), line);
    for (const each of lifecycles.all)
      if (isOwner(each) && each.madeAt <= line) return known(objects.byId.get(each.id), each, line);
    return undefined;
  };

  return {
    called: (open) => {
      const call = callOf(open);
      add(call.method, rules.called(call, find(call.request, open.line)));
    },
    answered: (answered) => {
      const call = callOf({ call: answered.call, line: answered.callLine });
      const answer = answerOf(answered);
      rules.answered(call, answer, find(call.request, answered.replyLine));
      const refused = refusedName(call, answer);
      const owner = refused && ownerOf(refused, call.line);
      if (owner !== undefined) add(call.method, usesName(owner, answer));
    },
    forget: rules.forget,
  };
}

const callOf = ({ call, line }: OpenCall): ClientCall => ({
  method: call.method,
  request: call.message.value(),
  line,
});

const answerOf = ({ reply, replyLine }: AnsweredCall): ClientAnswer => ({
  code: reply.code,
  details: reply.details ?? '',
  line: replyLine,
});

/** State from the runtime's record; a finished call may have changed more than is recorded yet. */
function recorded(lifecycle: Lifecycle, tracked: TrackedObject | undefined): KnownObject {
  const { id, kind, name, madeAt } = lifecycle;
  const followedState = tracked?.presence === 'present' ? tracked.least : 0;
  const isLater = tracked !== undefined && followedState > lifecycle.state;
  return {
    id,
    kind,
    name,
    state: stateNames[kind][isLater ? followedState : lifecycle.state],
    isSettled: (tracked?.changing ?? 0) === 0,
    madeAt,
    stateAt: isLater ? tracked.leastLine : lifecycle.stateAt,
  };
}

function followed(object: TrackedObject, isStill: boolean): KnownObject {
  const { id, kind, name, madeAt, least } = object;
  const isPresent = object.presence === 'present';
  // An object from before the tape may have been stopped since it was seen.
  const isSure = isPresent && (kind === 'container' || least > 0 || madeAt > 0);
  return {
    id,
    kind,
    name,
    state: isSure ? stateNames[kind][least] : undefined,
    isSettled: isPresent && isStill,
    madeAt,
    stateAt: object.leastLine,
  };
}

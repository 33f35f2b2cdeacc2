import { status as Code } from '@grpc/grpc-js';
import { StatusError } from '../../cri/errors.js';
import { type Container, ContainerState, ListContainersResponse } from '../../cri/gen/runtime/v1/api.js';
import type { Call } from '../../cri/service.js';
import type { FaultContext } from '../fault-context.js';
import type { ActionNamed } from '../language/actions.js';
import type { Rule } from '../language/rule.js';
import type { MethodFacts } from '../matching/methods.js';
import type { FaultSite, Verdict } from '../matching/registry.js';
import { alterReply, encode } from './reply.js';
import { delayed, holdUp, whilePaused } from './waiting.js';

type Work = (request: object, call: Call) => object | Promise<object>;

/** A unary RPC with the rules on calls before it and the rules on replies behind it. */
export async function faultyUnary(
  context: FaultContext,
  method: MethodFacts,
  work: Work,
  request: object,
  call: Call,
): Promise<object> {
  const occasion = context.occasion(method, request, call);
  await whilePaused(context, call);
  const verdict = context.judge('call', occasion, call);
  if (verdict?.delays.length) await delayed(context.clock, verdict, call.signal);
  const reply = await answer(context, method, work, request, call, occasion, verdict);
  const afterwards = context.judge('reply', occasion, call);
  const final = afterwards ? await alter(context, method, reply, call, occasion, afterwards) : reply;
  if (context.keepsReplies) context.keepReply(method, encode(method, reply));
  return final;
}

/** Does the work, or what the rule on the call has instead. */
async function answer(
  context: FaultContext,
  method: MethodFacts,
  work: Work,
  request: object,
  call: Call,
  occasion: FaultSite,
  verdict: Verdict | undefined,
): Promise<object> {
  const { action, rule } = verdict ?? {};
  if (action === undefined || rule === undefined) return work(request, call);
  switch (action.name) {
    case 'error':
      return fail(context, work, request, call, action, rule);
    case 'hang':
    case 'stall':
      await holdUp(context.clock, action.options.for, rule.released, call.signal);
      return work(request, call);
    case 'slowStart':
      await holdUp(context.clock, action.options.duration, rule.released, call.signal);
      return work(request, call);
    case 'ignoreStop':
      return ignoreStop(context, work, request, call, rule);
    case 'loseStatus':
      return loseStatus(context, method, await work(request, call), rule);
    case 'reply':
      return alterReply(method, await work(request, call), action, context.previousReply(method), rule.pad);
    default:
      return interrupt(context, occasion, verdict as Verdict, call, () => work(request, call));
  }
}

/** What a rule on the reply makes of finished work. */
async function alter(
  context: FaultContext,
  method: MethodFacts,
  reply: object,
  call: Call,
  occasion: FaultSite,
  verdict: Verdict,
): Promise<object> {
  if (verdict.delays.length > 0) await delayed(context.clock, verdict, call.signal);
  const { action, rule } = verdict;
  if (action === undefined || rule === undefined) return reply;
  if (action.name === 'error') throw injectedError(action, rule);
  if (action.name === 'reply')
    return alterReply(method, reply, action, context.previousReply(method), rule.pad);
  if (action.name === 'hang') {
    await holdUp(context.clock, action.options.for, rule.released, call.signal);
    return reply;
  }
  return interrupt(context, occasion, verdict, call, async () => reply);
}

/** An error in place of the reply: before the work, after it, or now with the work to follow. */
async function fail(
  context: FaultContext,
  work: Work,
  request: object,
  call: Call,
  action: ActionNamed<'error'>,
  rule: Rule,
): Promise<never> {
  const { effect, lateBy } = action.options;
  if (effect === 'after') await work(request, call);
  if (effect === 'late') context.later(lateBy, () => work(request, context.orphan(call)));
  throw injectedError(action, rule);
}

/** The status that a rule answers with. */
export function injectedError(action: ActionNamed<'error'> | ActionNamed<'close'>, rule: Rule): StatusError {
  return new StatusError(
    Code[action.options.code],
    action.options.message ?? `injected by fault rule ${rule.name}`,
  );
}

/** Actions on the wire, the runtime or a container; a call whose wire is gone ends without doing its work. */
async function interrupt(
  context: FaultContext,
  occasion: FaultSite,
  { action, rule }: Verdict,
  call: Call,
  proceed: () => object | Promise<object>,
): Promise<object> {
  if (action === undefined || rule === undefined) return proceed();
  const done = context.effects.perform(action, rule, occasion.subject(), call.transport);
  if (action.name !== 'reset') return proceed();
  throw new StatusError(done ? Code.CANCELLED : Code.UNAVAILABLE, `reset by fault rule ${rule.name}`);
}

/** The stop signal never arrives: the whole grace period passes, then the kill; what is left of it if the rule goes. */
async function ignoreStop(
  { clock }: FaultContext,
  work: Work,
  request: object,
  call: Call,
  rule: Rule,
): Promise<object> {
  const { timeout } = request as { timeout: bigint };
  const end = clock.elapsed() + Number(timeout) * 1000;
  await holdUp(clock, Number(timeout) * 1000, rule.released, call.signal);
  const left = rule.released.aborted ? Math.max(0, Math.ceil((end - clock.elapsed()) / 1000)) : 0;
  return work({ ...request, timeout: BigInt(left) }, call);
}

/**
 * The runtime has lost track of the container: state UNKNOWN, exit code 255 (containerd after a lost shim). In a list,
 * those are lost that the rule means.
 */
function loseStatus(context: FaultContext, method: MethodFacts, reply: object, rule: Rule): object {
  const state = ContainerState.CONTAINER_UNKNOWN;
  if (method.name === 'ContainerStatus') {
    const patch = { status: { state, exit_code: 255, reason: 'Unknown' } };
    return alterReply(method, reply, { name: 'reply', options: { patch } }, undefined, rule.pad);
  }
  const { containers } = Buffer.isBuffer(reply)
    ? ListContainersResponse.decode(reply)
    : (reply as ListContainersResponse);
  const isLost = ({ id }: Container) => rule.compiled.matchesSubject(context.subjectOfContainer(id));
  return ListContainersResponse.fromPartial({
    containers: containers.map((each) => (isLost(each) ? { ...each, state } : each)),
  });
}

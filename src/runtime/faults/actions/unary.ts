import { CriError, StatusError } from '../../../cri/errors.js';
import { type Container, ContainerState, ListContainersResponse } from '../../../cri/gen/runtime/v1/api.js';
import { ownCall } from '../../../cri/own-call.js';
import { decoded } from '../../../cri/reply.js';
import { Code } from '../../../cri/status-code.js';
import type { Reply, UnaryWork } from '../../../cri/wrap-service.js';
import type { Action, ActionNamed } from '../language/actions.js';
import type { RuleDecision } from '../matching/registry.js';
import type { Rule } from '../matching/rule.js';
import type { CallUnderRules } from './call-under-rules.js';
import { encode } from './reply.js';

/** A unary RPC under the rules: those on calls act before it, those on replies after it. */
export async function faultyUnary(ruled: CallUnderRules, work: UnaryWork): Promise<Reply> {
  const { context, method } = ruled;
  await ruled.whilePaused();
  const decision = ruled.decide('call');
  if (decision?.delays.length) await ruled.delay(decision);
  const reply = await answer(ruled, work, decision);
  const afterwards = ruled.decide('reply');
  const final = afterwards ? await alter(ruled, reply, afterwards) : reply;
  if (context.keepsReplies(method)) context.keepReply(method, ruled.request, encode(method, reply));
  return final;
}

async function answer(
  ruled: CallUnderRules,
  work: UnaryWork,
  decision: RuleDecision | undefined,
): Promise<Reply> {
  const action = await ruled.settle(decision, 'call');
  const rule = decision?.rule;
  const proceed = () => work(ruled.request, ruled.call);
  if (action === undefined || rule === undefined) return proceed();
  switch (action.name) {
    case 'error':
      return fail(ruled, work, action, rule);
    case 'hang':
    case 'stall':
      await ruled.holdUp(action.options.for, rule);
      return proceed();
    case 'slowStart':
      await ruled.holdUp(action.options.duration, rule);
      return proceed();
    case 'slowCreate':
      return work(ruled.request, ruled.slowly(action.options.duration, rule));
    case 'ignoreStop':
      return ignoreStop(ruled, work, rule);
    case 'loseStatus':
      return loseStatus(ruled, await proceed(), rule);
    case 'reply':
      return ruled.alter(await replyToAlter(action, proceed), action, rule);
    default:
      return interrupt(ruled, action, rule, proceed);
  }
}

/** A rule with the whole reply also answers an RPC that the runtime does not have: a new one of `--proto`. */
async function replyToAlter(
  { options }: ActionNamed<'reply'>,
  proceed: () => Reply | Promise<Reply>,
): Promise<Reply> {
  try {
    return await proceed();
  } catch (error) {
    if (('replace' in options || 'empty' in options) && isUnimplemented(error)) return Buffer.alloc(0);
    throw error;
  }
}

const isUnimplemented = (error: unknown): boolean =>
  error instanceof CriError
    ? error.kind === 'unsupported'
    : error instanceof StatusError && error.code === Code.UNIMPLEMENTED;

async function alter(ruled: CallUnderRules, reply: Reply, decision: RuleDecision): Promise<Reply> {
  if (decision.delays.length > 0) await ruled.delay(decision);
  const action = await ruled.settle(decision, 'reply');
  const { rule } = decision;
  if (action === undefined || rule === undefined) return reply;
  if (action.name === 'error') throw injectedError(action, rule);
  if (action.name === 'reply') return ruled.alter(reply, action, rule);
  if (action.name === 'hang') {
    await ruled.holdUp(action.options.for, rule);
    return reply;
  }
  return interrupt(ruled, action, rule, async () => reply);
}

/** Fails the call before the work, after it, or immediately with the work done later. */
async function fail(
  { context, request, call }: CallUnderRules,
  work: UnaryWork,
  action: ActionNamed<'error'>,
  rule: Rule,
): Promise<never> {
  const { effect, lateBy } = action.options;
  if (effect === 'after') await work(request, call);
  // No client waits for late work, so nothing can cancel it.
  if (effect === 'late')
    context.later(lateBy, () => work(request, { ...ownCall(), deadline: call.deadline }));
  throw injectedError(action, rule);
}

export function injectedError(action: ActionNamed<'error'> | ActionNamed<'close'>, rule: Rule): StatusError {
  return new StatusError(
    Code[action.options.code],
    action.options.message ?? `injected by fault rule ${rule.name}`,
  );
}

/** Actions on the connection, the runtime or a container. An interrupted call ends without doing its work. */
async function interrupt(
  ruled: CallUnderRules,
  action: Action,
  rule: Rule,
  proceed: () => Reply | Promise<Reply>,
): Promise<Reply> {
  const done = ruled.perform(action, rule);
  if (action.name === 'restart')
    throw new StatusError(Code.UNAVAILABLE, `restart by fault rule ${rule.name}`);
  if (action.name !== 'reset') return proceed();
  throw new StatusError(done ? Code.CANCELLED : Code.UNAVAILABLE, `reset by fault rule ${rule.name}`);
}

/**
 * The stop signal never arrives: the container is killed after the whole grace period. When the rule is removed, the
 * rest of the grace period counts from then.
 */
async function ignoreStop(ruled: CallUnderRules, work: UnaryWork, rule: Rule): Promise<Reply> {
  const { clock, request, call } = ruled;
  const { timeout } = request as { timeout: bigint };
  const end = clock.elapsed() + Number(timeout) * 1000;
  await ruled.holdUp(Number(timeout) * 1000, rule);
  const left = rule.released.aborted ? Math.max(0, Math.ceil((end - clock.elapsed()) / 1000)) : 0;
  return work({ ...request, timeout: BigInt(left) }, call);
}

/** The container becomes UNKNOWN with exit code 255, as after a lost shim; in a list, the matching containers. */
function loseStatus(ruled: CallUnderRules, reply: Reply, rule: Rule): Reply {
  const state = ContainerState.CONTAINER_UNKNOWN;
  if (ruled.method.name === 'ContainerStatus') {
    const patch = { status: { state, exit_code: 255, reason: 'Unknown' } };
    return ruled.alter(reply, { name: 'reply', options: { patch } }, rule);
  }
  const { containers } = decoded(reply, ListContainersResponse) as ListContainersResponse;
  const isLost = ({ id }: Container) => rule.match.subject(ruled.context.subjectOfContainer(id));
  return ListContainersResponse.fromPartial({
    containers: containers.map((each) => (isLost(each) ? { ...each, state } : each)),
  });
}

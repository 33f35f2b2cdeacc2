import { didYouMean } from '../../../base/input/suggest.js';
import { allMethods } from '../../../cri/methods.js';
import { identifiesContainer, identifiesPod } from '../../../cri/subject.js';
import { actionTable } from './action-table.js';
import { type Action, actionSchemas } from './actions.js';
import { checkNri } from './check-nri.js';
import { checkWhen, type Say } from './check-when.js';
import { type FieldsType, findUnknownField, patchOperations, requestType, responseType } from './fields.js';
import { methodGroups, namesOf, SESSIONS } from './methods.js';
import { isNriRule, NRI_PREFIX, nriMethods } from './nri.js';
import { actionsOf, type FaultSpec, methodTest, patternsOf } from './spec.js';

/** A reason why a rule could never work. */
export interface RuleProblem {
  /** Where in the rule: `['match', 'method']`. */
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Returns the problems of a rule that the schema of its fields can't find. */
export function problemsOf(spec: FaultSpec): RuleProblem[] {
  const problems: RuleProblem[] = [];
  const say = sayTo(problems);
  checkActions(spec, say);
  checkMethods(spec, say);
  checkSession(spec, say);
  if (isNriRule(spec)) {
    checkNri(spec, say);
    return problems;
  }
  if (spec.match.plugin !== undefined)
    say(
      'match.plugin',
      'plugins are for requests to them: set match.method to nri:CreateContainer, nri:*, …',
    );
  checkTrigger(spec, say);
  checkMethodsOfAction(spec, say);
  checkOptions(spec, say);
  checkMatch(spec, say);
  checkWhen(spec, say);
  checkFields(spec, say);
  return problems;
}

const sayTo =
  (problems: RuleProblem[]): Say =>
  (path, message) =>
    void problems.push({ path: path.split('.'), message });

function checkActions(spec: FaultSpec, say: Say): void {
  const names = actionsOf(spec);
  if (names.length > 1)
    say(
      'then',
      `at most one action in addition to delay; given ${names.join(' and ')}; write a rule for each`,
    );
  if (names.length === 0 && spec.then.delay === undefined)
    say('then', `nothing to do; allowed: delay, ${Object.keys(actionSchemas).join(', ')}`);
}

function checkMethods(spec: FaultSpec, say: Say): void {
  const known = [...allMethods, ...nriMethods];
  for (const pattern of patternsOf(spec)) {
    if (known.some((method) => methodTest(pattern)(method.name))) continue;
    const groups = Object.keys(methodGroups);
    const near = didYouMean(pattern, [...groups, ...known.map((method) => method.name)]);
    say(
      'match.method',
      `unknown RPC ${JSON.stringify(pattern)}${near || `; allowed: an RPC's name, a glob, ${groups.join(', ')}`}`,
    );
  }
}

/** Streams that an action can't be for: the runtime writes one status to the error stream. */
const WITHOUT_STREAM: readonly string[] = ['error', 'refuse'];
const OF_ERROR_STREAM: readonly string[] = ['stall', 'drop'];

/** Fields that only rules on sessions and connections have. */
function checkSession({ action, match, methods, trigger, when }: FaultSpec, say: Say): void {
  const isSession = trigger === 'session';
  const sessions = methods.filter(({ name }) => SESSIONS.includes(name));
  if (isSession && sessions.length === 0)
    say('match.method', `a session is one of the streaming server; allowed: ${SESSIONS.join(', ')}`);
  if (match.server !== undefined && trigger !== 'connection')
    say('match.server', `on ${trigger} it would never match; set on: connection, or leave it out`);
  if (match.port !== undefined && !(isSession && sessions.some(({ name }) => name === 'PortForward')))
    say('match.port', 'ports are those of port-forwards; set on: session and match.method: PortForward');
  if (when.afterBytes !== undefined && (!isSession || WITHOUT_STREAM.includes(action?.name ?? '')))
    say('when.afterBytes', 'it counts the bytes of a session; set on: session and an action on its bytes');
  if (match.stream === undefined) return;
  if (!isSession || action === undefined || WITHOUT_STREAM.includes(action.name))
    say('match.stream', 'it names a stream of a session; set on: session and an action on its bytes');
  else if (match.stream === 'error' && !OF_ERROR_STREAM.includes(action.name))
    say(
      'match.stream',
      `${action.name} can't act on the error stream; allowed: ${OF_ERROR_STREAM.join(', ')}`,
    );
}

function checkTrigger({ action, trigger, then }: FaultSpec, say: Say): void {
  const usage = action && actionTable[action.name];
  if (action && usage && !usage.on.includes(trigger))
    say('on', `${action.name} can't act on ${trigger}; allowed: ${usage.on.join(', ')}`);
  if (trigger === 'open-streams' && then.delay !== undefined)
    say('then.delay', 'a stream that is open already has no start to delay; allowed: close, end');
  else if (action === undefined && trigger === 'time')
    say('on', 'a delay needs something to delay; allowed: call, reply, message, session, connection');
  if (action?.name !== 'throttle') return;
  const wanted = trigger === 'message' ? 'perSecond' : 'bytesPerSecond';
  if (action.options[wanted] === undefined) say('then.throttle', `on ${trigger} it needs ${wanted}`);
}

function checkMethodsOfAction({ action, match, methods, trigger }: FaultSpec, say: Say): void {
  if (methods.length === 0 || trigger === 'session') return;
  const usage = action && actionTable[action.name];
  const what = action?.name ?? 'delay';
  if ((usage?.stream || trigger === 'message') && !methods.some((method) => method.stream))
    say(
      'match.method',
      `${what} on ${trigger} acts on streams; allowed: ${methodGroups['@stream']?.join(', ')}`,
    );
  const only = usage?.methods;
  if (only?.length === 0) say('then', `${what} acts on plugins only: set match.method to nri:…`);
  else if (only && match.method !== undefined && !methods.some(({ name }) => only.includes(name)))
    say('match.method', `${what} acts on ${only.join(' and ')}; given ${JSON.stringify(match.method)}`);
  if (trigger === 'reply' && methods.every((method) => method.stream))
    say('on', 'a stream has no single reply, so the rule would never match; allowed: call, message');
}

function checkOptions({ action, methods, trigger }: FaultSpec, say: Say): void {
  if (action?.name === 'error' && action.options.effect !== 'before') {
    const { effect } = action.options;
    if (trigger === 'session') say('then.error.effect', 'a session fails before its work; leave it out');
    else if (trigger === 'reply')
      say('then.error.effect', `on reply the work is done already; leave "${effect}" out, or set on: call`);
    else if (methods.length > 0 && methods.every((method) => method.stream))
      say('then.error.effect', `a stream has no end to wait for, so "${effect}" means nothing; leave it out`);
  }
  if (action?.name === 'reset' && action.options.scope === 'call' && ['time', 'connection'].includes(trigger))
    say('then.reset.scope', `on ${trigger} there is no call to reset; allowed: connection`);
}

function checkMatch({ match, action, methods, trigger }: FaultSpec, say: Say): void {
  const { method, pod, container, request } = match;
  if (trigger === 'connection' && (method || pod || container || request)) {
    say(
      'match',
      'a rule on connection applies before any call is known, so it would never match; leave match out',
    );
    return;
  }
  if (trigger === 'time') {
    if (method || request)
      say(
        'match',
        'a time rule has no call, so method and request would never match; leave them out or set on: call',
      );
    const usage = action && actionTable[action.name];
    if (usage?.container && !container && !pod)
      say('match', `${action?.name} at a time needs match.container or match.pod to say which containers`);
    if (!usage?.container && (container || pod))
      say('match', `${action?.name} at a time acts on the whole runtime; leave pod and container out`);
    return;
  }
  if (methods.length === 0) return;
  if (pod && !methods.some((each) => identifiesPod(each.name, trigger)))
    say('match.pod', `${namesOf(methods)} ${trigger}s name no pod, so the rule would never match`);
  if (container && !methods.some((each) => identifiesContainer(each.name, trigger)))
    say(
      'match.container',
      `${namesOf(methods)} ${trigger}s name no container, so the rule would never match`,
    );
}

function checkFields({ match, action, methods, trigger }: FaultSpec, say: Say): void {
  if (methods.length === 0) return;
  if (match.request)
    checkAgainst(
      match.request,
      methods.map(requestType),
      'match.request',
      'request of the matched RPCs',
      say,
    );
  const kind = trigger === 'message' ? methods.filter((method) => method.stream) : methods;
  checkReply(action, kind.map(responseType), 'RPCs', say);
}

/** Returns errors in fields of plugins' replies, whose types only a runtime with plugins knows. */
export function problemsOfReply(
  { action, methods }: FaultSpec,
  replyOf: (method: string) => FieldsType,
): RuleProblem[] {
  const problems: RuleProblem[] = [];
  const types = methods.map(({ name }) => replyOf(name.slice(NRI_PREFIX.length)));
  checkReply(action, types, 'requests', sayTo(problems));
  return problems;
}

function checkReply(action: Action | undefined, types: readonly FieldsType[], whose: string, say: Say): void {
  if (action?.name !== 'reply') return;
  for (const how of ['patch', 'replace'] as const) {
    const fields = (action.options as Readonly<Record<string, Record<string, unknown> | undefined>>)[how];
    if (fields)
      checkAgainst(
        fields,
        types,
        `then.reply.${how}`,
        `reply of the matched ${whose}`,
        say,
        Object.keys(patchOperations),
      );
  }
}

function checkAgainst(
  fields: Readonly<Record<string, unknown>>,
  types: readonly FieldsType[],
  path: string,
  what: string,
  say: Say,
  operations: readonly string[] = [],
): void {
  const unknown = types.map((type) => findUnknownField(type, fields, operations));
  if (unknown.length === 0 || unknown.some((problem) => problem === undefined)) return;
  const deepest = unknown.reduce((best, problem) =>
    (problem?.path.length ?? 0) > (best?.path.length ?? 0) ? problem : best,
  );
  if (deepest === undefined) return;
  const hint = deepest.near
    ? `did you mean "${deepest.near}"?`
    : `allowed: ${deepest.allowed.join(', ') || 'a plain value'}`;
  say(
    `${path}.${deepest.path.join('.')}`,
    `no ${what} has this field, so the rule would never match; ${hint}`,
  );
}

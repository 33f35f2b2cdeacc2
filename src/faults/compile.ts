import { didYouMean } from '../input/suggest.js';
import { InputError } from '../input/yaml.js';
import { findUnknownField, requestType } from './fields.js';
import { type MethodFacts, methodFacts, methodGroups } from './methods.js';
import { compilePattern, type Pattern } from './pattern.js';
import { compileValueTest, type ValueTest } from './request-match.js';
import {
  type Action,
  type ActionName,
  actionSchemas,
  type Delay,
  type FaultSpec,
  type Trigger,
} from './schema.js';
import type { Subject } from './subject.js';
import { actionUsage } from './usage.js';

/** A rule that can be asked quickly. */
export interface CompiledRule {
  readonly name: string;
  readonly spec: FaultSpec;
  readonly trigger: Trigger;
  readonly action: Action | undefined;
  readonly delay: Delay | undefined;
  /** Whether an RPC by this name is meant. */
  matchesMethod(name: string): boolean;
  /** Whether the subject is needed to decide; if not, it isn't looked up. */
  readonly needsSubject: boolean;
  matchesSubject(subject: Subject): boolean;
  readonly matchesRequest: ValueTest | undefined;
}

/** Compiles a checked rule. Throws InputError for one that could never do anything, saying why. */
export function compileRule(spec: FaultSpec, index: number): CompiledRule {
  const where = spec.name ?? `faults[${index}]`;
  const problems: string[] = [];
  const say = (text: string) => problems.push(`${where}: ${text}`);

  const action = actionOf(spec, say);
  const methods = methodsOf(spec, say);
  const trigger = spec.on ?? defaultTrigger(spec, action?.name);
  checkUsage(spec, action, trigger, methods, say);
  checkRequest(spec, methods, say);
  if (problems.length > 0) throw new InputError(problems);

  const names = new Set(methods.map((method) => method.name));
  const pod = compileFacts(spec.match.pod);
  const container = compileFacts(spec.match.container);
  const request = spec.match.request;
  return {
    name: spec.name ?? defaultName(action, methods, index),
    spec,
    trigger,
    action,
    delay: spec.then.delay,
    matchesMethod: (name) => names.has(name),
    needsSubject:
      pod !== undefined ||
      container !== undefined ||
      spec.when.per === 'pod' ||
      spec.when.per === 'container',
    matchesSubject: (subject) => (pod?.(subject.pod) ?? true) && (container?.(subject.container) ?? true),
    matchesRequest: request && compileValueTest(request),
  };
}

type Say = (text: string) => void;

function actionOf(spec: FaultSpec, say: Say): Action | undefined {
  const names = (Object.keys(spec.then) as (ActionName | 'delay')[]).filter((name) => name !== 'delay');
  if (names.length > 1)
    say(`then: one action at most besides delay; given ${names.join(' and ')}; write a rule for each`);
  const [name] = names;
  if (name === undefined) {
    if (spec.then.delay === undefined)
      say(`then: nothing to do; allowed: delay, ${Object.keys(actionSchemas).join(', ')}`);
    return undefined;
  }
  return { name, options: spec.then[name] } as Action;
}

function methodsOf(spec: FaultSpec, say: Say): readonly MethodFacts[] {
  if (spec.match.method === undefined) return methodFacts;
  const patterns = [spec.match.method].flat();
  return methodFacts.filter((method) => patterns.some((pattern) => methodTest(pattern, say)(method.name)));
}

function methodTest(pattern: string, say: Say): Pattern {
  const group = methodGroups[pattern];
  if (group !== undefined) return (name) => group.includes(name);
  const test = compilePattern(pattern);
  if (methodFacts.some((method) => test(method.name))) return test;
  const known = [...Object.keys(methodGroups), ...methodFacts.map((method) => method.name)];
  const text = `match.method: no RPC is called ${JSON.stringify(pattern)}`;
  const near = didYouMean(pattern, known);
  const message = near
    ? text + near
    : `${text}; allowed: an RPC's name, a glob, ${Object.keys(methodGroups).join(', ')}`;
  return once(message, say);
}

/** Says a problem the first time only: the test is asked once a method. */
function once(message: string, say: Say): Pattern {
  let said = false;
  return () => {
    if (!said) say(message);
    said = true;
    return false;
  };
}

/** Without a method, an action on the runtime or a container happens at its time. */
function defaultTrigger(spec: FaultSpec, action: ActionName | undefined): Trigger {
  if (action === undefined) return 'call';
  const [first] = actionUsage[action].on;
  if (first !== 'time') return actionUsage[action].on.includes('call') ? 'call' : (first as Trigger);
  return spec.match.method === undefined ? 'time' : 'call';
}

function checkUsage(
  spec: FaultSpec,
  action: Action | undefined,
  trigger: Trigger,
  methods: readonly MethodFacts[],
  say: Say,
): void {
  const usage = action && actionUsage[action.name];
  if (action && usage && !usage.on.includes(trigger)) {
    say(`on: ${action.name} can't act on ${trigger}; allowed: ${usage.on.join(', ')}`);
  }
  if (
    methods.length > 0 &&
    (usage?.stream || trigger === 'message') &&
    !methods.some((method) => method.stream)
  ) {
    say(
      `match.method: ${action?.name ?? 'delay'} on ${trigger} acts on streams; allowed: ${methodGroups['@stream']?.join(', ')}`,
    );
  }
  if (
    usage?.methods &&
    spec.match.method !== undefined &&
    !methods.some((method) => usage.methods?.includes(method.name))
  ) {
    say(
      `match.method: ${action?.name} acts on ${usage.methods.join(' and ')}; given ${JSON.stringify(spec.match.method)}`,
    );
  }
  if (usage?.container && trigger === 'time' && !spec.match.container && !spec.match.pod) {
    say(`match: ${action?.name} at a time needs match.container or match.pod to say which containers`);
  }
  if (action?.name === 'throttle') checkThrottle(action.options, trigger, say);
  if (
    trigger === 'connection' &&
    (spec.match.method || spec.match.pod || spec.match.container || spec.match.request)
  ) {
    say(
      'match: a rule on connection applies before any call is known, so it would never match; leave match out',
    );
  }
  if (trigger === 'time' && (spec.match.method || spec.match.request)) {
    say(
      'match: a rule on time has no call, so method and request would never match; leave them out or set on: call',
    );
  }
  if (trigger !== 'time' && typeof spec.when.every === 'object') {
    say(`when.every: a period is for rules on time; on ${trigger} give a whole number of ${trigger}s`);
  }
  if (spec.when.during?.for === 0) say('when.during.for: 0s never applies; leave it out for no end');
}

function checkThrottle(
  options: { perSecond?: number | undefined; bytesPerSecond?: number | undefined },
  trigger: Trigger,
  say: Say,
): void {
  const wanted = trigger === 'connection' ? 'bytesPerSecond' : 'perSecond';
  if (options[wanted] === undefined) say(`then.throttle: on ${trigger} it needs ${wanted}`);
}

function checkRequest(spec: FaultSpec, methods: readonly MethodFacts[], say: Say): void {
  const request = spec.match.request;
  if (request === undefined || methods.length === 0) return;
  const unknown = methods.map((method) => findUnknownField(requestType(method), request));
  if (unknown.some((problem) => problem === undefined)) return;
  const deepest = unknown.reduce((best, problem) =>
    (problem?.path.length ?? 0) > (best?.path.length ?? 0) ? problem : best,
  );
  if (deepest === undefined) return;
  const hint = deepest.near
    ? `did you mean "${deepest.near}"?`
    : `allowed: ${deepest.allowed.join(', ') || 'none, the request is empty'}`;
  say(
    `match.request.${deepest.path.join('.')}: no request of the matched RPCs has this field, so the rule would never match; ${hint}`,
  );
}

interface FactPatterns {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly attempt?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** A test for a pod or container that is undefined (and so doesn't match) when the call is about none. */
function compileFacts(
  patterns: FactPatterns | undefined,
): ((facts: object | undefined) => boolean) | undefined {
  if (patterns === undefined) return undefined;
  const test = compileValueTest(patterns);
  return (facts) => facts !== undefined && test(facts);
}

function defaultName(action: Action | undefined, methods: readonly MethodFacts[], index: number): string {
  const subject =
    methods.length === 1 ? methods[0]?.name : methods.length === methodFacts.length ? 'all' : 'some';
  return `${action?.name ?? 'delay'}-${subject}-${index + 1}`;
}

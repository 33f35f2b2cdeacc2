import type { z } from 'zod';
import { allMethods, type CriMethod } from '../../../cri/methods.js';
import { actionTable } from './action-table.js';
import type { Action, ActionName } from './actions.js';
import { methodGroups } from './methods.js';
import { isNri, nriMethods } from './nri.js';
import { compilePattern, type Pattern } from './pattern.js';
import type { rule } from './rule-schema.js';
import type { Trigger } from './trigger.js';

type RuleShape = z.output<typeof rule>;

/** An RPC that a rule matches. Data alone: rules are sent to worker threads. */
type MatchedMethod = Pick<CriMethod, 'name' | 'stream'>;

/** A rule that was read and checked: durations in ms, defaults filled in, and the combined meaning of its fields. */
export interface FaultSpec extends RuleShape {
  /** Undefined for a delay alone. */
  readonly action: Action | undefined;
  readonly methods: readonly MatchedMethod[];
  readonly trigger: Trigger;
}

export function specOf(shape: RuleShape): FaultSpec {
  const [name] = actionsOf(shape);
  const action = name && ({ name, options: shape.then[name] } as Action);
  return { ...shape, action, methods: methodsOf(shape), trigger: shape.on ?? defaultTrigger(shape, name) };
}

export const actionsOf = ({ then }: RuleShape): ActionName[] =>
  (Object.keys(then) as (ActionName | 'delay')[]).filter((name) => name !== 'delay');

export const patternsOf = ({ match }: Pick<RuleShape, 'match'>): readonly string[] =>
  [match.method ?? []].flat();

export function methodTest(pattern: string): Pattern {
  const group = methodGroups[pattern];
  if (group !== undefined) return (name) => group.includes(name);
  const test = compilePattern(pattern);
  // "*" matches every RPC, but no request to a plugin.
  return (name) => isNri(name) === isNri(pattern) && test(name);
}

function methodsOf(shape: RuleShape): readonly MatchedMethod[] {
  const tests = patternsOf(shape).map(methodTest);
  const isAny = shape.match.method === undefined;
  const all = isAny ? allMethods : [...allMethods, ...nriMethods];
  return all
    .filter(({ name }) => isAny || tests.some((test) => test(name)))
    .map(({ name, stream }) => ({ name, stream }));
}

/** Without a method, an action on the runtime or a container happens at its time. */
function defaultTrigger({ match }: RuleShape, action: ActionName | undefined): Trigger {
  if (action === undefined) return 'call';
  if (patternsOf({ match }).some(isNri)) return 'call';
  const { on } = actionTable[action];
  const first = on[0] as Trigger;
  if (match.method !== undefined && first === 'connection' && on.includes('session')) return 'session';
  if (first !== 'time') return on.includes('call') ? 'call' : first;
  return match.method === undefined ? 'time' : 'call';
}

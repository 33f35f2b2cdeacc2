import { allMethods, type CriMethod } from '../../cri/methods.js';
import type { Subject } from '../../cri/subject.js';
import { actionTable } from '../language/action-table.js';
import type { Action } from '../language/actions.js';
import { resolveRule } from '../language/check.js';
import type { ResolvedRule } from '../language/resolved-rule.js';
import type { Delay, FaultSpec } from '../language/rule-schema.js';
import type { Trigger } from '../language/trigger.js';
import { compileValueTest, type ValueTest } from './request-match.js';

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
  /** Whether the action picks from a list what it means, so that a list of everything is not asked for its subject. */
  readonly isPerElement: boolean;
  readonly matchesRequest: ValueTest | undefined;
}

/** Compiles a checked rule; `index` numbers the rules that have no name. */
export function compileRule(spec: FaultSpec, index: number): CompiledRule {
  const rule = resolveRule(spec);
  const { action, trigger } = rule;
  const methods = rule.methods.filter((method) => concerns(rule, method));
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
    isPerElement: action?.name === 'loseStatus',
    matchesRequest: request && compileValueTest(request),
  };
}

/** Whether the action means something to an RPC; a rule that names no RPC leaves the others alone. */
function concerns({ action, trigger }: ResolvedRule, { name, stream }: CriMethod): boolean {
  const usage = action && actionTable[action.name];
  if (trigger === 'message' || usage?.stream) return stream;
  if (trigger === 'reply' || action?.name === 'reply') return !stream;
  return usage?.methods?.includes(name) ?? true;
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

function defaultName(action: Action | undefined, methods: readonly CriMethod[], index: number): string {
  const subject =
    methods.length === 1 ? methods[0]?.name : methods.length === allMethods.length ? 'all' : 'some';
  return `${action?.name ?? 'delay'}-${subject}-${index + 1}`;
}

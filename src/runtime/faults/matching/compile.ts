import { allMethods } from '../../../cri/methods.js';
import type { CallSubject } from '../../../cri/subject.js';
import { actionTable } from '../language/action-table.js';
import { SESSIONS } from '../language/methods.js';
import { isNriRule, NRI_PREFIX } from '../language/nri.js';
import { compilePattern } from '../language/pattern.js';
import { type FaultSpec, patternsOf } from '../language/spec.js';
import { compileValueTest, type ValueTest } from './request-match.js';

export interface Match {
  method(name: string): boolean;
  /** Whether the subject is needed to decide; if not, it isn't looked up. */
  readonly needsSubject: boolean;
  subject(subject: CallSubject): boolean;
  /** Whether the action selects elements of a list: a request for the whole list then needs no subject. */
  readonly isPerElement: boolean;
  readonly request: ValueTest | undefined;
  /** Whether the port of a port-forward and the server of a connection match the rule. */
  isAt(site: { readonly port?: number | undefined; readonly server?: string | undefined }): boolean;
  /** Undefined for every plugin. */
  readonly plugin: ((name: string) => boolean) | undefined;
}

export function compileMatch(spec: FaultSpec): Match {
  const names = new Set(methodsOf(spec));
  const { when } = spec;
  const pod = compileFacts(spec.match.pod);
  const container = compileFacts(spec.match.container);
  const { request, plugin, port, server } = spec.match;
  return {
    method: (name) => names.has(name),
    needsSubject:
      pod !== undefined || container !== undefined || when.per === 'pod' || when.per === 'container',
    subject: (subject) => (pod?.(subject.pod) ?? true) && (container?.(subject.container) ?? true),
    isPerElement: spec.action?.name === 'loseStatus',
    isAt: (site) => (port ?? site.port) === site.port && (server ?? site.server) === site.server,
    request: request && compileValueTest(request),
    plugin: plugin === undefined ? undefined : compilePattern(plugin),
  };
}

/** Names a rule without a name: `error-StartContainer-1`; `index` numbers the rules that are added together. */
export function nameOf(spec: FaultSpec, index: number): string {
  const methods = methodsOf(spec);
  const [first = ''] = methods;
  const subject =
    methods.length === 1
      ? first.replace(NRI_PREFIX, 'nri-')
      : methods.length === allMethods.length
        ? 'all'
        : 'some';
  return `${spec.action?.name ?? 'delay'}-${subject}-${index + 1}`;
}

/** The RPCs that a rule's action applies to: a rule without RPCs leaves the others alone. */
function methodsOf(spec: FaultSpec): string[] {
  const { action, trigger, methods } = spec;
  if (isNriRule(spec)) return methods.map(({ name }) => name);
  const usage = action && actionTable[action.name];
  return methods
    .filter(({ name, stream }) => {
      if (trigger === 'session') return SESSIONS.includes(name);
      if (trigger === 'message' || usage?.stream) return stream;
      if (trigger === 'reply') return !stream;
      // Of streams, a whole reply answers those that the rule names: new ones of `--proto`.
      if (action?.name === 'reply' && stream)
        return 'replace' in action.options && patternsOf(spec).includes(name);
      return usage?.methods?.includes(name) ?? true;
    })
    .map(({ name }) => name);
}

interface FactPatterns {
  readonly name?: string | undefined;
  readonly namespace?: string | undefined;
  readonly uid?: string | undefined;
  readonly attempt?: number | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
}

/** Tests a pod or container; undefined, for a call that concerns none, doesn't match. */
function compileFacts(
  patterns: FactPatterns | undefined,
): ((facts: object | undefined) => boolean) | undefined {
  if (patterns === undefined) return undefined;
  const test = compileValueTest(patterns);
  return (facts) => facts !== undefined && test(facts);
}

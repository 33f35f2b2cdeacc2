import type { ClusterFault } from '../file/schema.js';
import { type ApiRequest, isResource, isWrite } from './api-request.js';

/** What a rule does to a request or an event that it applies to. */
export interface Applied {
  readonly fault: string;
  readonly then: ClusterFault['then'];
}

/** The rules of one program, with their counts. */
export interface FaultRules {
  /** `elapsed`: ms since the start of the scenario, -Infinity before. */
  request(seen: ApiRequest, elapsed: number): readonly Applied[];
  event(seen: ApiRequest, elapsed: number): readonly Applied[];
}

export function createFaultRules(faults: readonly ClusterFault[], program: string): FaultRules {
  const own = faults
    .filter(({ match }) => match.program === program)
    .map((fault) => ({ fault, passed: 0, applied: 0, brokenUntil: Number.NEGATIVE_INFINITY }));
  type Rule = (typeof own)[number];

  const applies = (rule: Rule, elapsed: number): boolean => {
    const { after, times = Number.POSITIVE_INFINITY, during: span = { from: 0 } } = rule.fault.when;
    if (elapsed < span.from || elapsed >= span.from + (span.for ?? Number.POSITIVE_INFINITY)) return false;
    if (rule.passed++ < after || rule.applied >= times) return false;
    rule.applied++;
    return true;
  };
  const appliedOf = ({ fault: { name, then } }: Rule): Applied => ({ fault: name, then });
  const watching = (seen: ApiRequest) =>
    own.filter(({ fault: { match } }) => match.watch !== undefined && isResource(match.watch, seen));

  return {
    request: (seen, elapsed) => [
      ...own.filter((rule) => concerns(rule.fault, seen) && applies(rule, elapsed)).map(appliedOf),
      ...watching(seen)
        .filter(({ brokenUntil }) => ['list', 'watch'].includes(seen.verb) && elapsed < brokenUntil)
        .map(appliedOf),
    ],
    event: (seen, elapsed) =>
      watching(seen)
        .filter((rule) => rule.fault.then.error === undefined && applies(rule, elapsed))
        .map((rule) => {
          rule.brokenUntil = elapsed + (rule.fault.then.disconnect ?? 0);
          return appliedOf(rule);
        }),
  };
}

/** An error for a watch refuses its request. */
function concerns({ match, then }: ClusterFault, seen: ApiRequest): boolean {
  if (match.watch !== undefined)
    return then.error !== undefined && seen.verb === 'watch' && isResource(match.watch, seen);
  const verb = then.stale !== undefined && seen.lists ? 'list' : seen.verb;
  if (then.stale === undefined ? verb === 'watch' : isWrite(verb) || verb === 'other') return false;
  if (match.resource !== undefined && !isResource(match.resource, seen)) return false;
  if (match.name !== undefined && match.name !== seen.name) return false;
  if (match.verb === 'write') return isWrite(verb);
  return match.verb === undefined || match.verb === verb;
}

import { causeKey } from './cause-key.js';
import type { Result } from './trials.js';

/** In ms: runs with a fault this much earlier or later are compared. */
const NEAR = 5000;

/**
 * Results that depend on an exact moment between two steps of the kubelet: a little earlier or later, the run takes
 * another course. Faults of calls do not need such a coincidence.
 */
export function momentary(results: readonly Result[]): Set<Result> {
  const byKind = new Map<string, Result[]>();
  for (const result of results) {
    if (!isTimed(result)) continue;
    const { base, version, runtime, schedule } = result.planned;
    const key = `${base} ${version} ${runtime} ${causeKey(schedule)}`;
    byKind.set(key, [...(byKind.get(key) ?? []), result]);
  }
  const found = new Set<Result>();
  for (const same of byKind.values())
    for (const result of same) {
      const near = same.filter((other) => isNear(result, other));
      if (near.length > 0 && near.every(({ way }) => way !== result.way)) found.add(result);
    }
  return found;
}

function isTimed({ planned: { schedule } }: Result): boolean {
  const [only, ...more] = schedule;
  if (only === undefined || more.length > 0) return false;
  return only.steps.length > 0 || only.rules.some(({ on }) => on === 'time');
}

function isNear(a: Result, b: Result): boolean {
  const [left = 0, right = 0] = [a, b].map(({ planned: { schedule } }) => schedule[0]?.at);
  return left !== right && Math.abs(left - right) <= NEAR;
}

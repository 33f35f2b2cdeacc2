import { causeKey } from './cause-key.js';
import type { Result } from './trials.js';

/** Runs in which something happens this much earlier or later are compared, in ms. */
const NEAR = 5000;

/**
 * The results that need something to happen just in a moment, between two steps of the kubelet: a little earlier or later, the
 * run goes another way. What happens to a call needs no such coincidence.
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

/** One perturbation at a time, not at a call. */
function isTimed({ planned: { schedule } }: Result): boolean {
  const [only, ...more] = schedule;
  if (only === undefined || more.length > 0) return false;
  return only.steps.length > 0 || only.rules.some(({ on }) => on === 'time');
}

function isNear(a: Result, b: Result): boolean {
  const [left = 0, right = 0] = [a, b].map(({ planned: { schedule } }) => schedule[0]?.at);
  return left !== right && Math.abs(left - right) <= NEAR;
}

import { createHash } from 'node:crypto';
import { type Candidate, candidatesOf } from '../catalog/catalog.js';
import type { Schedule } from '../catalog/perturbation.js';
import type { TapePoints } from '../points/points.js';
import type { ScheduleFinding } from '../run/finding.js';
import type { Runner } from '../run/runner.js';

export interface Job {
  readonly schedule: Schedule;
  readonly extend: boolean;
}

/** A worker's reply as JSON. Large numbers of states are sent as hashes. */
export interface JobResult {
  readonly findings: readonly ScheduleFinding[];
  readonly states: readonly string[];
  readonly next: readonly Candidate[];
}

export async function runJob(runner: Runner, { schedule, extend }: Job): Promise<JobResult> {
  const { findings, points } = await runner.run(schedule);
  const hashes = new Map(points.states.map((state) => [state, hashOf(state)]));
  return { findings, states: [...hashes.values()], next: extend ? nextOf(points, hashes) : [] };
}

/** Keeps the first perturbation of each kind per state; many candidates share a state. */
function nextOf({ points, moments, states }: TapePoints, hashes: ReadonlyMap<string, string>): Candidate[] {
  const hashFor = (state: string) => hashes.get(state) ?? hashOf(state);
  // These alone determine the kinds of perturbations, and listing those takes much longer.
  const first = {
    points: firstOf(
      points,
      ({ what, method, timeout, state }) => `${what} ${method} ${timeout} ${hashFor(state)}`,
    ),
    moments: firstOf(moments, ({ running, state }) => `${running.length} ${hashFor(state)}`),
    states,
  };
  const candidates = candidatesOf(first).map(({ state, perturbation }) => ({
    state: hashFor(state),
    perturbation,
  }));
  return firstOf(candidates, ({ state, perturbation: { kind } }) => `${state} ${kind}`);
}

function firstOf<T>(list: readonly T[], keyOf: (each: T) => string): T[] {
  const seen = new Set<string>();
  return list.filter((each) => {
    const key = keyOf(each);
    const isFirst = !seen.has(key);
    seen.add(key);
    return isFirst;
  });
}

/** 64-bit hash of a state. */
export const hashOf = (state: string): string =>
  createHash('sha256').update(state).digest('base64url').slice(0, 11);

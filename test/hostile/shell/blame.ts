import { type Profiler, Session } from 'node:inspector/promises';
import { runContained } from './contained.js';
import { elapsed, type Patience, type Stretch } from './observer.js';

/** Functions that a report names. */
const NAMED = 5;
/** Sampling interval in microseconds. */
const INTERVAL = 500;

/** Runs a script again; resolves with the functions of its longest block: shares of its time, names, places. */
export async function blame(script: string, patience: Patience): Promise<readonly string[]> {
  const session = new Session();
  session.connect();
  try {
    await session.post('Profiler.enable');
    await session.post('Profiler.setSamplingInterval', { interval: INTERVAL });
    await session.post('Profiler.start');
    const { during } = await runContained(script, patience);
    const { profile } = await session.post('Profiler.stop');
    return functionsDuring(profile, elapsed(), during);
  } finally {
    session.disconnect();
  }
}

function functionsDuring(profile: Profiler.Profile, end: number, { from, to }: Stretch): readonly string[] {
  const names = new Map(profile.nodes.map(({ id, callFrame }) => [id, nameOf(callFrame)]));
  const counts = new Map<string, number>();
  // The profile has its own clock, in microseconds.
  let time = end - (profile.endTime - profile.startTime) / 1000;
  let total = 0;
  for (const [index, id] of (profile.samples ?? []).entries()) {
    time += (profile.timeDeltas?.[index] ?? 0) / 1000;
    if (time < from || time > to) continue;
    const name = names.get(id) ?? '';
    counts.set(name, (counts.get(name) ?? 0) + 1);
    total++;
  }
  return [...counts]
    .sort(([, one], [, other]) => other - one)
    .slice(0, NAMED)
    .map(([name, count]) => `${Math.round((100 * count) / total)} % ${name}`);
}

function nameOf({ functionName, url, lineNumber }: Profiler.Profile['nodes'][number]['callFrame']): string {
  const place = url.replace(/^.*\/(?=(?:src|adapters|test)\/)/, '');
  return `${functionName || '(anonymous)'} ${place}:${lineNumber + 1}`;
}

import type { HistoryRecording } from './record.js';

/**
 * A text shown for less than this can be missing in the other recording, because of the sampling interval (seconds).
 */
const SHORT = 1.5;
/** One recording can be ahead of the other by this at the end (seconds). */
const OPEN_END = 10;
/** Tolerance for the duration of a step, in seconds: the phases of probes and relists are arbitrary. */
const LATE = 2.5;

interface Step {
  readonly t: number;
  readonly text: string;
  /** Time until the next step. */
  readonly lasts: number;
}

export interface Comparison {
  /** Steps in both recordings. */
  readonly compared: number;
  /** Steps in only one of them. */
  readonly differences: readonly string[];
  /** Containers with a different run time. */
  readonly late: readonly string[];
}

/** Where `ours` differs from `real`, by pod and track, up to a time (s). */
export function compareHistories(ours: HistoryRecording, real: HistoryRecording, until: number): Comparison {
  const differences: string[] = [];
  const late: string[] = [];
  let compared = 0;
  for (const steps of [trackSteps, eventSteps]) {
    const [mine, theirs] = [steps(ours, until), steps(real, until)];
    for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
      const { pairs, alone } = align(mine.get(key) ?? [], theirs.get(key) ?? []);
      compared += pairs.length;
      for (const { who, step, before, after } of alone) {
        // Steps with the same text around a short interruption count as one.
        const goesOn = step.text === before?.text || step.text === after?.text;
        if (step.lasts < SHORT || goesOn || isLuck(step) || step.t > until - OPEN_END) continue;
        differences.push(`${key}: ${who} at ${step.t}: ${step.text}`);
      }
      const ran = pairs.filter(([a, b]) => isRun(a, until) && isRun(b, until));
      for (const [a, b] of ran.filter(([a, b]) => Math.abs(a.lasts - b.lasts) > LATE)) {
        late.push(`${key}: ${a.lasts.toFixed(1)} s, real ${b.lasts.toFixed(1)} s (from ${b.t}): ${b.text}`);
      }
    }
  }
  return { compared, differences, late };
}

/** Differences of `ours` from the nearest run: each run shows different timing. */
export function compareWithRuns(
  ours: HistoryRecording,
  runs: readonly HistoryRecording[],
  until: number,
): Comparison {
  const count = ({ differences, late }: Comparison) => differences.length + late.length;
  const [first, ...others] = runs.map((real) => compareHistories(ours, real, until));
  if (first === undefined) throw new Error('no run was recorded');
  return others.reduce((best, each) => (count(each) < count(best) ? each : best), first);
}

/**
 * These steps depend on timing: the number of syncs that find a back-off, and whether a probe is running when its
 * container ends.
 */
const isLuck = ({ text }: Step): boolean =>
  /^(Warning|Normal) BackOff: |Error: ImagePullBackOff$|probe errored and resulted in/.test(text);

/** A container that started and ended in time. Other waiting times depend on the requeue jitter. */
const isRun = ({ text, t, lasts }: Step, until: number): boolean =>
  text.startsWith('running') && t + lasts < until - OPEN_END;

function trackSteps({ changes }: HistoryRecording, until: number): Map<string, Step[]> {
  const tracks = new Map<string, Step[]>();
  for (const { t, pod, track, text } of changes) if (t <= until) put(tracks, `${pod} ${track}`, t, text);
  return tracks;
}

function eventSteps({ events }: HistoryRecording, until: number): Map<string, Step[]> {
  const tracks = new Map<string, Step[]>();
  for (const { t, pod, field, type, reason, message } of events) {
    const key = `${pod} ${field || 'pod'} ${sideOf(reason, message)}`;
    if (t <= until) put(tracks, key, t, `${type} ${reason}: ${message}`);
  }
  return tracks;
}

/** Probes of a container and actions on it progress independently. */
function sideOf(reason: string, message: string): string {
  if (reason === 'Unhealthy') return message.split(' ', 1).join();
  return reason === 'Killing' ? reason : '';
}

/** The number of repetitions depends on the requeue jitter. */
function put(tracks: Map<string, Step[]>, key: string, t: number, text: string): void {
  const steps = tracks.get(key) ?? [];
  tracks.set(key, steps);
  const before = steps.at(-1);
  if (before?.text === text) return;
  if (before !== undefined) steps[steps.length - 1] = { ...before, lasts: t - before.t };
  steps.push({ t, text, lasts: Number.POSITIVE_INFINITY });
}

interface Alone {
  readonly who: 'ours' | 'real';
  readonly step: Step;
  /** The common steps before and after it. */
  readonly before: Step | undefined;
  readonly after: Step | undefined;
}

/** Prefers as many common steps as possible, and among equal numbers the longer ones. */
const worthOf = (a: Step | undefined, b: Step | undefined): number =>
  1 + Math.min(a?.lasts ?? 0, b?.lasts ?? 0, 10) / 1000;

/** The longest common subsequence of texts, and the steps in only one of them. */
function align(ours: readonly Step[], real: readonly Step[]): { pairs: [Step, Step][]; alone: Alone[] } {
  const best = Array.from({ length: ours.length + 1 }, () => new Array<number>(real.length + 1).fill(0));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = real.length - 1; j >= 0; j--) {
      const same = ours[i]?.text === real[j]?.text;
      const skipped = Math.max(at(i + 1, j), at(i, j + 1));
      (best[i] as number[])[j] = same
        ? Math.max(at(i + 1, j + 1) + worthOf(ours[i], real[j]), skipped)
        : skipped;
    }
  }
  const pairs: [Step, Step][] = [];
  const alone: { who: Alone['who']; step: Step; index: number }[] = [];
  let [i, j] = [0, 0];
  while (i < ours.length || j < real.length) {
    const [a, b] = [ours[i], real[j]];
    const worth = a?.text === b?.text ? worthOf(a, b) : 0;
    if (a !== undefined && b !== undefined && worth > 0 && at(i, j) === at(i + 1, j + 1) + worth) {
      pairs.push([a, b]);
      i++;
      j++;
    } else if (b === undefined || (a !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      alone.push({ who: 'ours', step: a as Step, index: pairs.length });
      i++;
    } else {
      alone.push({ who: 'real', step: b, index: pairs.length });
      j++;
    }
  }
  const found = alone.map(({ who, step, index }) => ({
    who,
    step,
    before: pairs[index - 1]?.[1],
    after: pairs[index]?.[1],
  }));
  return { pairs, alone: found };
}

import type { LivesRecording } from './record.js';

/** Seconds for which a text may have been shown and still be missing in the other recording: nobody looked just then. */
const SHORT = 1.5;
/** Seconds before the end of the recordings in which one may be ahead of the other. */
const OPEN_END = 45;
/** By how much two times of the same step may differ: some seconds of probe periods, and half of a back-off. */
const DELAY = 2.5;
const JITTER = 0.6;

interface Step {
  readonly t: number;
  readonly text: string;
  /** Until the next step. */
  readonly lasts: number;
}

export interface Comparison {
  readonly compared: number;
  readonly differences: readonly string[];
  /** Of the same steps at other times. */
  readonly late: readonly string[];
}

/** Where `ours` parts from `real`, pod by pod, track by track, up to the time (s) that both were recorded. */
export function compareLives(ours: LivesRecording, real: LivesRecording, until: number): Comparison {
  const differences: string[] = [];
  const late: string[] = [];
  let compared = 0;
  for (const [sort, pick] of [
    ['shows', trackSteps],
    ['event', eventSteps],
  ] as const) {
    const [mine, theirs] = [pick(ours, until), pick(real, until)];
    for (const key of new Set([...theirs.keys(), ...mine.keys()])) {
      const { pairs, alone } = align(mine.get(key) ?? [], theirs.get(key) ?? []);
      compared += pairs.length;
      for (const { who, step, before, next } of alone) {
        if (sort === 'shows' && (step.lasts < SHORT || step.text === before?.text)) continue;
        if (step.t > until - OPEN_END && next === undefined) continue;
        differences.push(`${key}: ${who} ${sort} at ${step.t}: ${step.text}`);
      }
      for (const [a, b] of pairs) {
        const off = Math.abs(a.lasts - b.lasts);
        if (sort !== 'shows' || !(off > DELAY + JITTER * Math.min(b.lasts, 60))) continue;
        if (Math.max(a.t + a.lasts, b.t + b.lasts) > until - OPEN_END) continue;
        late.push(`${key}: ${a.lasts.toFixed(1)} s, real ${b.lasts.toFixed(1)} s (at ${b.t}): ${b.text}`);
      }
    }
  }
  return { compared, differences, late };
}

function trackSteps({ changes }: LivesRecording, until: number): Map<string, Step[]> {
  const tracks = new Map<string, Step[]>();
  for (const { t, pod, track, text } of changes) {
    if (t <= until) put(tracks, `${pod} ${track}`, { t, text, lasts: Number.POSITIVE_INFINITY });
  }
  return tracks;
}

function eventSteps({ events }: LivesRecording, until: number): Map<string, Step[]> {
  const tracks = new Map<string, Step[]>();
  for (const { t, pod, field, type, reason, message } of events) {
    if (t > until) continue;
    const text = `${type} ${reason}: ${message}`;
    put(tracks, `${pod} ${field || 'pod'}`, { t, text, lasts: Number.POSITIVE_INFINITY });
  }
  return tracks;
}

/** How often something is repeated is a matter of the requeue jitter. */
function put(tracks: Map<string, Step[]>, key: string, step: Step): void {
  const steps = tracks.get(key) ?? [];
  tracks.set(key, steps);
  const before = steps.at(-1);
  if (before?.text === step.text) return;
  if (before !== undefined) steps[steps.length - 1] = { ...before, lasts: step.t - before.t };
  steps.push(step);
}

interface Alone {
  readonly who: 'ours' | 'real';
  readonly step: Step;
  /** The last step before it and the next one after it that both have. */
  readonly before: Step | undefined;
  readonly next: Step | undefined;
}

/** The longest common sequence of texts, and what only one of them has. */
function align(ours: readonly Step[], real: readonly Step[]): { pairs: [Step, Step][]; alone: Alone[] } {
  const best = Array.from({ length: ours.length + 1 }, () => new Array<number>(real.length + 1).fill(0));
  const at = (i: number, j: number): number => best[i]?.[j] ?? 0;
  for (let i = ours.length - 1; i >= 0; i--) {
    for (let j = real.length - 1; j >= 0; j--) {
      const same = ours[i]?.text === real[j]?.text;
      (best[i] as number[])[j] = same ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const pairs: [Step, Step][] = [];
  const alone: [number, Pick<Alone, 'who' | 'step'>][] = [];
  let [i, j] = [0, 0];
  while (i < ours.length || j < real.length) {
    const [a, b] = [ours[i], real[j]];
    if (a !== undefined && b !== undefined && a.text === b.text) {
      pairs.push([a, b]);
      i++;
      j++;
    } else if (b === undefined || (a !== undefined && at(i + 1, j) >= at(i, j + 1))) {
      alone.push([pairs.length, { who: 'ours', step: a as Step }]);
      i++;
    } else {
      alone.push([pairs.length, { who: 'real', step: b }]);
      j++;
    }
  }
  return {
    pairs,
    alone: alone.map(([index, each]) => ({
      ...each,
      before: pairs[index - 1]?.[1],
      next: pairs[index]?.[1],
    })),
  };
}

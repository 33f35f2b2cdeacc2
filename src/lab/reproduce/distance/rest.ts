import { clockText } from '../../scenario/output/clock-text.js';
import type { Simulation } from '../../scenario/run/run.js';
import { greatest, least } from '../extremes.js';
import type { Observation, PlacedContainer, PlacedEnd, PlacedLine } from '../observation.js';
import { logKind } from '../read/log-kinds.js';
import { tolerance } from './tolerance.js';

export interface PartMatch {
  readonly score: number;
  readonly weight: number;
  readonly deviation: number;
  readonly unexplained: readonly string[];
}

const none: PartMatch = { score: 1, weight: 0, deviation: Number.POSITIVE_INFINITY, unexplained: [] };

/** Compares kinds of kubelet log lines between the first and the last observed line. */
export function matchLog(seen: readonly PlacedLine[], { log }: Simulation, end: number): PartMatch {
  if (seen.length === 0) return none;
  const mine = firstsOf(seen.map(({ kind, time }) => ({ kind, t: time?.from })));
  const isWithin = windowOf(seen, end);
  const theirs = firstsOf(
    log.flatMap(({ t, text }) => {
      const kind = isWithin(t) ? logKind(text) : undefined;
      return kind === undefined ? [] : [{ kind, t }];
    }),
  );
  const missing = [...mine].filter(([kind]) => !theirs.has(kind));
  const isExcerpt = seen.length < EXCERPT;
  const surplus = isExcerpt ? 0 : [...theirs].filter(([kind]) => !mine.has(kind) && !EVER.has(kind)).length;
  return {
    score: (mine.size - missing.length) / (mine.size + surplus / 2),
    weight: Math.log2(1 + mine.size),
    deviation: least(missing.map(([, t]) => t ?? Number.POSITIVE_INFINITY)),
    unexplained: missing.map(([kind]) => `the kubelet's log: ${kind}`),
  };
}

/** Fewer lines than this were selected by a user: missing ones prove nothing. */
const EXCERPT = 5;

/** Whether the observed log covers a time; without times, it covers everything. */
function windowOf(seen: readonly PlacedLine[], end: number): (t: number) => boolean {
  const spans = seen.flatMap(({ time }) => time ?? []);
  const from = spans.length === 0 ? 0 : least(spans.map((span) => span.from));
  const to = spans.length === 0 ? end : greatest(spans.map((span) => span.to));
  return (t) => t >= from - tolerance(from) && t <= to + tolerance(to);
}

/** Logged at each start of a kubelet. */
const EVER = new Set(['PLEG has yet to be successful']);

function firstsOf(
  lines: readonly { readonly kind: string; readonly t: number | undefined }[],
): Map<string, number | undefined> {
  const firsts = new Map<string, number | undefined>();
  for (const { kind, t } of lines) if (!firsts.has(kind)) firsts.set(kind, t);
  return firsts;
}

export function matchContainers(
  seen: readonly PlacedContainer[],
  { containerEvents }: Simulation,
  end: number,
): PartMatch {
  if (seen.length === 0) return none;
  const missing = seen.filter(({ pod, name, attempt, isRunning, time }) => {
    const until = (time?.to ?? end) + 1;
    const own = containerEvents.filter(
      (each) =>
        each.container === name &&
        each.attempt === attempt &&
        (pod === '' || each.pod === pod) &&
        each.t <= until,
    );
    return own.length === 0 || (own.at(-1)?.what === 'started') !== isRunning;
  });
  return {
    score: (seen.length - missing.length) / seen.length,
    weight: Math.log2(1 + seen.length),
    deviation: Number.POSITIVE_INFINITY,
    unexplained: missing.map(
      ({ name, attempt, isRunning }) =>
        `container ${name}, attempt ${attempt}, ${isRunning ? 'running' : 'ended'}`,
    ),
  };
}

/** Weight of an exit code; the rest is for the time, which is off after many restarts. */
const CODE = 0.6;

export function matchEnds(
  seen: readonly PlacedEnd[],
  containerEvents: Simulation['containerEvents'],
): PartMatch {
  if (seen.length === 0) return none;
  const ends = containerEvents.filter(({ what }) => what === 'ended');
  const own = seen.map(({ pod, container }) =>
    ends.filter(
      (each) => (container === '' || each.container === container) && (pod === '' || each.pod === pod),
    ),
  );
  const scores = seen.map(({ exitCode, time }, index) => {
    const scored = (own[index] ?? []).map(({ t, exitCode: code }) => {
      const gap = time === undefined ? 0 : Math.max(0, time.from - t, t - time.to);
      return (code === exitCode ? CODE : 0) + (gap <= 2 * tolerance(t) ? 1 - CODE : 0);
    });
    return Math.max(0, ...scored);
  });
  return {
    score: scores.reduce((sum, each) => sum + each, 0) / seen.length,
    weight: Math.log2(1 + seen.length),
    deviation: Number.POSITIVE_INFINITY,
    unexplained: seen.flatMap((end, index) =>
      (scores[index] ?? 0) < CODE ? [endText(end, own[index] ?? [])] : [],
    ),
  };
}

/** `app exited with 1 (Error) at 17m25.0s (simulated: 0 at 16m36.0s)` */
function endText(
  { container, exitCode, reason, time }: PlacedEnd,
  ends: Simulation['containerEvents'],
): string {
  const from = time?.from ?? 0;
  const nearest = [...ends].sort((a, b) => Math.abs(a.t - from) - Math.abs(b.t - from))[0];
  const at = time === undefined ? '' : ` at ${clockText(from)}`;
  const simulated =
    nearest === undefined ? '' : ` (simulated: ${nearest.exitCode} at ${clockText(nearest.t)})`;
  return `${container || 'a container'} exited with ${exitCode}${reason === '' ? '' : ` (${reason})`}${at}${simulated}`;
}

export const isComparable = ({ rows, events, nodes, log, containers, ends }: Observation): boolean =>
  rows.length + events.length + nodes.length + log.length + containers.length + ends.length > 0;

import type { Entry, EntryOf } from '../../../tape/entries.js';
import { createStateReader, isWork } from './state.js';

export interface Point {
  readonly what: 'call' | 'message';
  readonly method: string;
  readonly pod?: string | undefined;
  readonly container?: string | undefined;
  readonly attempt?: number | undefined;
  /** Number of earlier calls with this method, pod, container and attempt, or of earlier messages of the stream. */
  readonly before: number;
  /** In ms since the kubelet's start. */
  readonly at: number;
  /** Time in ms after which the kubelet gives the call up; undefined without a limit. */
  readonly timeout?: number | undefined;
  readonly state: string;
}

export interface Moment {
  readonly at: number;
  readonly state: string;
  readonly running: readonly { readonly pod: string; readonly container: string }[];
}

export interface TapePoints {
  readonly points: readonly Point[];
  readonly moments: readonly Moment[];
  readonly states: readonly string[];
}

/** Time in ms without changes after which a state counts as steady. */
const STEADY = 5000;

/** Points between `from` and `end` (ms). Repeated reading calls count once per question and state. */
export function readPoints(entries: readonly Entry[], end: number, from = 0): TapePoints {
  const state = createStateReader();
  const unreached = new Set<number>();
  for (const entry of entries) if (entry.kind === 'reply' && entry.unreached) unreached.add(entry.call);
  const counts = new Map<string, number>();
  const seen = new Set<string>();
  /** Numbers states, because long texts are slow keys. */
  const states = new Map<string, number>([['', 0]]);
  let number = 0;
  const points: Point[] = [];
  const moments: Moment[] = [];
  let changedAt = 0;

  const addMoment = (at: number) => {
    if (at >= from && isNew(`moment ${number} ${at - changedAt < STEADY}`))
      moments.push({ at, state: state.text, running: state.running });
  };
  const isNew = (key: string): boolean => {
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  };

  for (const entry of entries) {
    const at = entry.t / 1e6;
    if (at - changedAt > STEADY) addMoment(changedAt + STEADY);
    if (
      (entry.kind === 'call' || entry.kind === 'message') &&
      !(entry.kind === 'call' && unreached.has(entry.call))
    ) {
      const point = pointOf(entry, counts, at, state.text);
      const isRepeated = entry.kind === 'call' && !isWork(entry.method);
      const key = `${subjectKey(point)} ${isRepeated ? number : point.before}`;
      if (at >= from && isNew(key)) points.push(point);
    }
    if (!state.read(entry)) continue;
    number = states.get(state.text) ?? states.size;
    states.set(state.text, number);
    changedAt = at;
    // 1 ms later, everything that belongs to the change has happened.
    addMoment(at + 1);
  }
  if (end - changedAt > STEADY) addMoment(changedAt + STEADY);
  return { points, moments, states: [...states.keys()].slice(1) };
}

function pointOf(
  entry: EntryOf<'call'> | EntryOf<'message'>,
  counts: Map<string, number>,
  at: number,
  state: string,
): Point {
  const about =
    entry.kind === 'message'
      ? {}
      : { pod: entry.pod?.name, container: entry.container?.name, attempt: entry.container?.attempt };
  const limit = entry.kind === 'call' && entry.timeout !== undefined ? { timeout: entry.timeout / 1e6 } : {};
  const point = { what: entry.kind, method: entry.method, ...about, ...limit, at, state };
  const key = subjectKey(point);
  const before = counts.get(key) ?? 0;
  counts.set(key, before + 1);
  return { ...point, before };
}

const subjectKey = ({ what, method, pod, container, attempt }: Omit<Point, 'before'>): string =>
  `${what} ${method} ${pod} ${container} ${attempt}`;

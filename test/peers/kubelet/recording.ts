import { readFileSync } from 'node:fs';

export interface Row {
  readonly t: number;
  readonly pod: string;
  readonly ready: string;
  readonly status: string;
  readonly restarts: number;
}

export interface Event {
  readonly t: number;
  readonly pod: string;
  readonly field: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

export interface Recording {
  readonly rows: readonly Row[];
  readonly events: readonly Event[];
}

export const oracle = new URL('../../oracle/kubelet-1.36.3/', import.meta.url);

/** What the real kubelet did with the same manifests. */
export function realRecording(): Recording {
  const lines = (file: string) => readFileSync(new URL(file, oracle), 'utf8').trim().split('\n');
  return {
    rows: lines('rows.jsonl').map((line) => JSON.parse(line) as Row),
    events: lines('events.jsonl').map((line) => JSON.parse(line) as Event),
  };
}

/** A row that lasts no longer may be missing: on a busy machine a container that runs for 2 s has ended when it is seen. */
const SHORT = 3;

/** An event near the end of a recording may or may not have come. */
const OPEN_END = 2;

/** Where a pod's rows and events part from the real kubelet's; nothing when they agree as far as both go. */
export function differences(ours: Recording, real: Recording, pod: string): string[] {
  return [
    ...compareRows(pod, rowsOf(ours, pod), rowsOf(real, pod)),
    ...compareEvents(pod, texts(ours.events, pod), texts(real.events, pod)),
  ];
}

interface Span {
  readonly text: string;
  readonly short: boolean;
}

/**
 * How a wait divides into Error and CrashLoopBackOff depends on whether the container's end was seen together with its
 * start; the BackOff events tell that it was one.
 */
function rowsOf({ rows }: Recording, pod: string): Span[] {
  const own = rows.filter((row) => row.pod === pod && !row.status.includes('CrashLoopBackOff'));
  return own.map(({ t, ready, status, restarts }, index) => ({
    text: `${ready} ${status} ${restarts}`,
    short: (own[index + 1]?.t ?? Number.POSITIVE_INFINITY) - t < SHORT,
  }));
}

function compareRows(pod: string, ours: readonly Span[], real: readonly Span[]): string[] {
  let row = 0;
  for (const { text, short } of ours) {
    while (real[row] !== undefined && real[row]?.text !== text && real[row]?.short && !short) row++;
    if (row === real.length) return [];
    if (real[row]?.text === text) row++;
    else if (!short) return [`${pod}: row "${text}", was "${real[row]?.text}"`];
  }
  return ours.length === 0 ? [`${pod}: no rows`] : [];
}

function compareEvents(pod: string, ours: readonly string[], real: readonly string[]): string[] {
  const length = Math.min(ours.length, real.length) - (ours.length === real.length ? 0 : OPEN_END);
  for (let index = 0; index < length; index++) {
    if (ours[index] !== real[index])
      return [`${pod}: event ${index + 1} "${ours[index]}", was "${real[index]}"`];
  }
  return ours.length === 0 ? [`${pod}: no events`] : [];
}

/**
 * How often an event is repeated is a matter of the requeue jitter; ids and addresses differ, and so do the words in
 * which a runtime says why it did not pull an image: only the code counts.
 */
function texts(events: readonly Event[], pod: string): string[] {
  const own = events.filter((event) => event.pod === pod);
  const all = own.map(({ field, type, reason, message }) => {
    const plain = message
      .replace(/\([0-9a-f]{32}\)/, '(uid)')
      .replace(/^(Failed to pull image "[^"]*": rpc error: code = \w+ desc = ).*/, '$1…');
    return `${field} ${type} ${reason}: ${plain}`;
  });
  return all.filter((text, index) => text !== all[index - 1]);
}

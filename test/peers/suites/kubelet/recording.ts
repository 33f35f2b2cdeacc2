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

export const recordingPath = new URL('../../../oracle/kubelet-1.36.3/', import.meta.url);

/** The real kubelet's recording of the same manifests. */
export function realRecording(): Recording {
  const lines = (file: string) => readFileSync(new URL(file, recordingPath), 'utf8').trim().split('\n');
  return {
    rows: lines('rows.jsonl').map((line) => JSON.parse(line) as Row),
    events: lines('events.jsonl').map((line) => JSON.parse(line) as Event),
  };
}

/** Shorter rows can be missing: on a busy machine a container that runs for 2 s can end before it is seen. */
const SHORT = 3;

/** Events this close to the end of a recording can be missing. */
const OPEN_END = 2;

/**
 * Where a pod's rows and events differ from the real kubelet's; empty if they agree up to the end of the shorter
 * recording.
 */
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
 * The split of a wait into Error and CrashLoopBackOff depends on whether one relist saw both the container's start
 * and its end. The BackOff events show that it was a back-off.
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
 * The count of an event depends on the requeue jitter. Ids and addresses differ, and so does a runtime's text for a
 * failed pull: only its code is compared.
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

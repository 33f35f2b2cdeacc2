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

/** Rows that last no longer depend on when somebody looked: a sync, a relist and a sample fall where they like. */
const SHORTEST = 1.3;

/** A row at the end of a recording may or may not have come. */
const OPEN_END = 2;

/** Where a pod's rows and events part from the real kubelet's; nothing when they agree as far as both go. */
export function differences(ours: Recording, real: Recording, pod: string): string[] {
  return [
    ...compare(`${pod}: rows`, lasting(ours.rows, pod), lasting(real.rows, pod)),
    ...compare(`${pod}: events`, texts(ours.events, pod), texts(real.events, pod)),
  ];
}

function compare(what: string, ours: readonly string[], real: readonly string[]): string[] {
  const length = Math.min(ours.length, real.length) - (ours.length === real.length ? 0 : OPEN_END);
  for (let index = 0; index < length; index++) {
    if (ours[index] !== real[index]) {
      return [
        `${what}: number ${index + 1} is "${ours[index]}", was "${real[index]}" (${real[index - 1] ?? 'start'})`,
      ];
    }
  }
  return ours.length === 0 ? [`${what}: none`] : [];
}

function lasting(rows: readonly Row[], pod: string): string[] {
  const own = rows.filter((row) => row.pod === pod);
  const long = own.filter(
    (row, index) => (own[index + 1]?.t ?? Number.POSITIVE_INFINITY) - row.t >= SHORTEST,
  );
  return withoutRepeats(long.map(({ ready, status, restarts }) => `${ready} ${status} ${restarts}`));
}

/** How often an event is repeated is a matter of the requeue jitter; ids and addresses differ. */
function texts(events: readonly Event[], pod: string): string[] {
  const own = events.filter((event) => event.pod === pod);
  return withoutRepeats(
    own.map(({ field, type, reason, message }) => {
      const plain = message.replace(/\([0-9a-f]{32}\)/, '(uid)');
      return `${field} ${type} ${reason}: ${plain}`;
    }),
  );
}

const withoutRepeats = (list: readonly string[]): string[] =>
  list.filter((item, index) => item !== list[index - 1]);

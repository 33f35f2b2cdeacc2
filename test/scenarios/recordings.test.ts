import { beforeAll, describe, expect, test } from 'vitest';
import type { SimulatedEvent, SimulatedRow, Simulation } from '../../src/lab/scenario/run/run.js';
import { manifestNames, recordedNames } from '../support/recordings/names.js';
import { namedPods, recorded, run } from '../support/scenario/simulate.js';
import { isThorough } from '../support/thorough.js';

/** How much of the recordings, which are half an hour long, is compared. */
const SECONDS = isThorough ? 1900 : 300;

/**
 * In the recording of 1.36.3 every first and third probe of sigterm-test took its full second, because nothing responded
 * in the pod's network. So each restart was one second later on the probe's period of three seconds. Here the port
 * refuses immediately, and the stop takes that second instead.
 */
const slowStop = { stopContainer: '1300ms', createContainer: '20ms', startContainer: '20ms' };

interface Recording {
  /** Directory in test/oracle. */
  readonly kubelet: string;
  /** The thin kubelet's. */
  readonly version: string;
  readonly names: readonly string[];
  /** Latency of sigterm-test, which runs separately. */
  readonly sigterm?: object;
  readonly hasEvents: boolean;
  /** Shorter rows can be missing, as /pods was read every 0.2 s on a busy machine; in seconds. */
  readonly shortest: number;
}

const recordings: readonly Recording[] = [
  {
    kubelet: 'kubelet-1.36.3',
    version: '1.36',
    names: recordedNames,
    sigterm: slowStop,
    hasEvents: true,
    shortest: 0.5,
  },
  {
    kubelet: 'kubelet-1.37.2',
    version: '1.37',
    // Whether the fifth restart of sigterm-test waits depends on fractions of a second of each stop.
    names: manifestNames.filter((name) => name !== 'sigterm-test'),
    hasEvents: false,
    // crash-exit1 ends at once: it is shown as running until the next relist, within a second.
    shortest: 1,
  },
];

describe.each(recordings)('$kubelet', ({ kubelet, version, names, sigterm, hasEvents, shortest }) => {
  /** Before its first sync a pod is only Pending; whether the recording contains that moment is random. */
  const realRows = recorded<SimulatedRow>('rows.jsonl', kubelet).filter(
    ({ t, status }) => status !== 'Pending' && t < SECONDS,
  );
  const realEvents = hasEvents
    ? recorded<SimulatedEvent>('events.jsonl', kubelet).filter(({ t }) => t < SECONDS)
    : [];
  let simulation: Pick<Simulation, 'rows' | 'events'>;

  beforeAll(async () => {
    const others = names.filter((name) => name !== 'sigterm-test');
    const given = { until: `${SECONDS}s`, kubelet: { version } };
    const parts = [
      await run({ ...given, pods: namedPods(others) }),
      ...(sigterm === undefined
        ? []
        : [await run({ ...given, pods: namedPods(['sigterm-test']), latency: sigterm })]),
    ];
    const all = <T>(pick: (part: Simulation) => readonly T[]) => parts.flatMap(pick);
    simulation = { rows: all(({ rows }) => rows), events: all(({ events }) => events) };
  });

  describe.each(names)('%s', (name) => {
    const pod = `${name}-mock-node`;

    test('produces the rows of the real kubelet in order', () => {
      const real = realRows.filter((row) => row.pod === pod);
      const ours = simulation.rows.filter((row) => row.pod === pod);
      const shown = withoutShort(ours, real, shortest);
      expect(shown.length).toBeGreaterThan(0.9 * real.length);
      expect(shown).toEqual(real.map(textOf).slice(0, shown.length));
    });

    test.runIf(hasEvents)('produces the events of the real kubelet in order', () => {
      const real = eventTexts(realEvents, pod);
      const ours = eventTexts(simulation.events, pod);
      const length = Math.min(real.length, ours.length);
      expect(length).toBeGreaterThan(0.8 * real.length);
      expect(ours.slice(0, length)).toEqual(real.slice(0, length));
    });

    test('restarts after the back-off and within its jitter', () => {
      const ours = waits(simulation.rows.filter((row) => row.pod === pod));
      const real = waits(realRows.filter((row) => row.pod === pod));
      for (const gaps of [ours, real]) {
        for (const { restarts, wait } of gaps) {
          const delay = Math.min(10 * 2 ** (restarts - 2), 300);
          expect(wait, `restart ${restarts}`).toBeGreaterThan(delay - 2);
          expect(wait, `restart ${restarts}`).toBeLessThan(delay + Math.min(delay, 60) / 2 + 4);
        }
      }
    });
  });
});

const textOf = ({ ready, status, restarts }: SimulatedRow): string => `${ready} ${status} ${restarts}`;

/** Our rows without short ones that the recording does not have. */
function withoutShort(
  ours: readonly SimulatedRow[],
  real: readonly SimulatedRow[],
  shortest: number,
): string[] {
  const texts: string[] = [];
  for (const [index, row] of ours.entries()) {
    const next = ours[index + 1];
    const seen = real[texts.length];
    const short = next !== undefined && next.t - row.t < shortest;
    if (seen !== undefined && textOf(seen) !== textOf(row) && short) continue;
    if (seen === undefined) break;
    texts.push(textOf(row));
  }
  return texts;
}

/** An event's text without ids and addresses. The count of an event depends on the requeue jitter. */
function eventTexts(events: readonly SimulatedEvent[], pod: string): string[] {
  const texts = events
    .filter((event) => event.pod === pod)
    .map(({ field, type, reason, message }) => `${field} ${type} ${reason}: ${plain(message)}`);
  const unrepeated = texts.filter((text, index) => text !== texts[index - 1]);
  return unrepeated.filter(
    (text, index) =>
      !(text === unrepeated[index - 2] && unrepeated[index - 1] === unrepeated[index - 3]) &&
      !(text === unrepeated[index - 2] && unrepeated[index + 1] === unrepeated[index - 1]),
  );
}

const plain = (message: string): string =>
  message
    .replace(/\([0-9a-f-]{32,36}\)/, '(uid)')
    .replace(/(resulted in unknown state:).*/, '$1 error')
    .replace(/(Get "http:\/\/)[^:]+(:8080\/healthz":).*/, '$1ip$2 failed');

/** Seconds from a container's end to its next start, by restart count. */
function waits(rows: readonly SimulatedRow[]): { restarts: number; wait: number }[] {
  const found: { restarts: number; wait: number }[] = [];
  let ended: number | undefined;
  for (const { t, status, restarts } of rows) {
    if (/Error$|Completed$/.test(status) && !status.includes('Pull') && !status.includes('Hook')) ended = t;
    if ((status === 'Running' || status === 'Init:0/1') && ended !== undefined && restarts > 1) {
      found.push({ restarts, wait: t - ended });
      ended = undefined;
    }
  }
  return found;
}

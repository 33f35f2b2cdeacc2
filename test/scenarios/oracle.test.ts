import { beforeAll, describe, expect, test } from 'vitest';
import type { SimulatedEvent, SimulatedRow, Simulation } from '../../src/scenario/simulation.js';
import { recorded, run, staticPods } from '../support/simulate.js';

const names = [
  'crash-exit1',
  'exit0-always',
  'init-fails',
  'never-exit3',
  'onfailure-exit0',
  'onfailure-exit1',
  'poststart-fails',
  'probes',
  'pull-fails',
  'sigterm-test',
  'steady',
];

/** A change that lasted no longer may be missing in a recording that looked every 0.2 s on a busy machine. */
const SHORTEST_ROW = 0.5;

const realRows = recorded<SimulatedRow>('rows.jsonl');
const realEvents = recorded<SimulatedEvent>('events.jsonl');
let simulation: Simulation;

beforeAll(async () => {
  simulation = await run({ pods: staticPods(names), until: '1900s' });
});

describe.each(names)('%s', (name) => {
  const pod = `${name}-mock-node`;

  test('gives the rows of the real kubelet in their order', () => {
    const real = realRows.filter((row) => row.pod === pod);
    const ours = simulation.rows.filter((row) => row.pod === pod);
    expect(withoutShort(ours, real)).toEqual(real.map(textOf).slice(0, withoutShort(ours, real).length));
  });

  test('gives the events of the real kubelet in their order', () => {
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

const textOf = ({ ready, status, restarts }: SimulatedRow): string => `${ready} ${status} ${restarts}`;

/** Our rows as the recording would show them: what it lacks is left out if it was short. */
function withoutShort(ours: readonly SimulatedRow[], real: readonly SimulatedRow[]): string[] {
  const texts: string[] = [];
  for (const [index, row] of ours.entries()) {
    const next = ours[index + 1];
    const seen = real[texts.length];
    const short = next !== undefined && next.t - row.t < SHORTEST_ROW;
    if (seen !== undefined && textOf(seen) !== textOf(row) && short) continue;
    if (seen === undefined) break;
    if (seen.status === 'Pending') texts.push(textOf(seen));
    texts.push(textOf(row));
  }
  return texts;
}

/** An event's text without ids and addresses; how often it is repeated is a matter of the requeue jitter. */
function eventTexts(events: readonly SimulatedEvent[], pod: string): string[] {
  const texts = events
    .filter((event) => event.pod === pod)
    .map(({ field, type, reason, message }) => `${field} ${type} ${reason}: ${plain(message)}`);
  return texts.filter((text, index) => text !== texts[index - 1]);
}

const plain = (message: string): string =>
  message
    .replace(/\([0-9a-f-]{32,36}\)/, '(uid)')
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

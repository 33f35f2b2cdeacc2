import type { Scenario } from './schema.js';
import type { SimulatedEvent, SimulatedRow, Simulation } from './simulation.js';

type Expected = Scenario['expect'];
type Window = readonly [number, number] | undefined;

/** What is not as expected, one text each; nothing when all is well. */
export function unmet(expect: Expected, { rows, events, calls }: Simulation): string[] {
  const pods = [...new Set(expect.rows.map(({ pod }) => pod))];
  return [
    ...pods.flatMap((pod) =>
      compareRows(
        pod,
        expect.rows.filter((row) => row.pod === pod),
        rows.filter((row) => row.pod === pod),
      ),
    ),
    ...expect.events.flatMap((event) => checkEvent(event, events)),
    ...Object.entries(expect.calls).flatMap(([rpc, most]) => {
      const count = calls.filter((call) => call.rpc === rpc).length;
      return count <= most ? [] : [`expected at most ${most} calls of ${rpc}; there were ${count}`];
    }),
  ];
}

/** A diff with `-` for what was expected and `+` for what came. */
function compareRows(pod: string, expected: Expected['rows'], actual: readonly SimulatedRow[]): string[] {
  const lines: string[] = [];
  let same = true;
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    const [want, got] = [expected[index], actual[index]];
    if (want !== undefined && got !== undefined && rowMatches(want, got)) {
      lines.push(`  ${showRow(got)}`);
      continue;
    }
    same = false;
    if (want !== undefined) lines.push(`- ${showExpected(want)}`);
    if (got !== undefined) lines.push(`+ ${showRow(got)}`);
  }
  return same ? [] : [[`rows of pod ${pod}:`, ...lines].join('\n')];
}

function rowMatches(want: Expected['rows'][number], got: SimulatedRow): boolean {
  return (
    (want.ready ?? got.ready) === got.ready &&
    (want.status ?? got.status) === got.status &&
    (want.restarts ?? got.restarts) === got.restarts &&
    isWithin(want.within, got.t)
  );
}

function checkEvent(want: Expected['events'][number], events: readonly SimulatedEvent[]): string[] {
  const found = events.filter(
    (event) =>
      (want.pod ?? event.pod) === event.pod &&
      (want.type ?? event.type) === event.type &&
      (want.reason ?? event.reason) === event.reason &&
      (want.message === undefined || event.message.includes(want.message)) &&
      isWithin(want.within, event.t),
  );
  const fits = want.count === undefined ? found.length > 0 : found.length === want.count;
  if (fits) return [];
  const { within: _, count, ...what } = want;
  const wanted = count === undefined ? 'at least one event' : `${count} events`;
  return [
    `expected ${wanted} like ${JSON.stringify(what)}${showWindow(want.within)}; there were ${found.length}`,
  ];
}

const isWithin = (window: Window, seconds: number): boolean =>
  window === undefined || (seconds * 1000 >= window[0] && seconds * 1000 <= window[1]);

const showRow = ({ t, ready, status, restarts }: SimulatedRow): string =>
  `${t.toFixed(1).padStart(8)}s  ${ready}  ${status}  ${restarts}`;

const showExpected = ({ ready, status, restarts, within }: Expected['rows'][number]): string =>
  `${''.padStart(9)}  ${ready ?? '*'}  ${status ?? '*'}  ${restarts ?? '*'}${showWindow(within)}`;

const showWindow = (window: Window): string =>
  window === undefined ? '' : `  (between ${window[0] / 1000}s and ${window[1] / 1000}s)`;

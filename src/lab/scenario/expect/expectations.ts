import { withoutTimes } from '../../../base/input/without-times.js';
import type { Amount, Expected, Window } from '../file/expect-schema.js';
import type { SimulatedContainerEvent, SimulatedNodeState, SimulatedRow, Simulation } from '../run/run.js';

export function unmet(expect: Expected, run: Simulation): string[] {
  return [
    ...expectedByPod(expect.rows).flatMap(([pod, rows]) =>
      compareLists(`rows of pod ${pod}`, rows, rowsOf(run, pod), rowShape),
    ),
    ...expectedByPod(expect.rowsInclude).flatMap(([pod, rows]) =>
      findInOrder(`rows of pod ${pod}`, rows, rowsOf(run, pod), rowShape),
    ),
    ...expect.lastRow.flatMap((row) => {
      const last = rowsOf(run, row.pod).slice(-1);
      return compareLists(`last row of pod ${row.pod}`, [row], last, rowShape);
    }),
    ...(expect.nodes.length > 0
      ? compareLists('states of the node', expect.nodes, run.nodes, nodeShape)
      : []),
    ...expect.events.flatMap((want) => checkEvent(want, run)),
    ...expect.log.flatMap(({ text, count, within }) => {
      const found = run.log.filter((line) => line.text.includes(text) && isWithin(within, line.t));
      return checkCount(
        `lines of the log with ${JSON.stringify(text)}${showWindow(within)}`,
        count,
        found.length,
      );
    }),
    ...expect.calls.flatMap(({ rpc, count, within }) => {
      const found = run.calls.filter((call) => call.rpc === rpc && isWithin(within, call.t));
      return checkCount(`calls of ${rpc}${showWindow(within)}`, count, found.length);
    }),
    ...expect.gone.flatMap(({ pod, within }) => {
      const found = run.pods.filter(
        (end) => end.pod === pod && end.what === 'gone' && isWithin(within, end.t),
      );
      return checkCount(`ends of pod ${pod}${showWindow(within)}`, 1, found.length);
    }),
    ...expect.metrics.flatMap((want) => checkMetric(want, run)),
    ...expect.running.flatMap(({ pod, container, most }) => {
      const found = mostRunning(
        run.containerEvents.filter((event) => event.pod === pod && event.container === container),
      );
      return checkCount(`instances of container ${container} of pod ${pod} running at a time`, most, found);
    }),
  ];
}

type ExpectedRow = Expected['rows'][number];
type ExpectedNode = Expected['nodes'][number];

interface Shape<Want, Got> {
  fits(want: Want, got: Got): boolean;
  want(want: Want): string;
  got(got: Got): string;
  /** Fields of the expectation that would match. */
  yaml(got: Got): Readonly<Record<string, unknown>>;
}

/** Ordered by the first mention of each pod. */
function expectedByPod(rows: readonly ExpectedRow[]): [pod: string, rows: ExpectedRow[]][] {
  const pods = [...new Set(rows.map(({ pod }) => pod))];
  return pods.map((pod) => [pod, rows.filter((row) => row.pod === pod)]);
}

const rowsOf = ({ rows }: Simulation, pod: string): SimulatedRow[] => rows.filter((row) => row.pod === pod);

/** Diff of expected (`-`) and actual (`+`) items, followed by the actual ones as YAML. */
function compareLists<Want, Got>(
  title: string,
  expected: readonly Want[],
  actual: readonly Got[],
  shape: Shape<Want, Got>,
): string[] {
  const lines: string[] = [];
  let same = true;
  for (let index = 0; index < Math.max(expected.length, actual.length); index++) {
    const [want, got] = [expected[index], actual[index]];
    if (want !== undefined && got !== undefined && shape.fits(want, got)) {
      lines.push(`  ${shape.got(got)}`);
      continue;
    }
    same = false;
    if (want !== undefined) lines.push(`- ${shape.want(want)}`);
    if (got !== undefined) lines.push(`+ ${shape.got(got)}`);
  }
  return same ? [] : [[`${title}:`, ...lines, ...asYaml(title, actual, shape)].join('\n')];
}

function findInOrder<Want, Got>(
  title: string,
  expected: readonly Want[],
  actual: readonly Got[],
  shape: Shape<Want, Got>,
): string[] {
  let from = 0;
  for (const [index, want] of expected.entries()) {
    const at = actual.findIndex((got, position) => position >= from && shape.fits(want, got));
    if (at < 0) {
      const place = index === 0 ? '' : ', after the previous rows';
      const missing = `${title} do not include row ${index + 1} of rowsInclude${place}:`;
      return [[missing, `- ${shape.want(want)}`, ...asYaml(title, actual, shape)].join('\n')];
    }
    from = at + 1;
  }
  return [];
}

const asYaml = <Got>(title: string, actual: readonly Got[], { yaml }: Shape<never, Got>): string[] =>
  actual.length === 0
    ? ['nothing came']
    : [
        `the ${title}, as YAML:`,
        ...actual.map((got) => `    - { ${Object.entries(yaml(got)).map(showField).join(', ')} }`),
      ];

const showField = ([name, value]: [string, unknown]): string =>
  `${name}: ${typeof value === 'string' && !PLAIN.test(value) ? JSON.stringify(value) : value}`;

const PLAIN = /^(?!(true|false|yes|no|on|off|null)$)([A-Za-z][\w.:/-]*[\w]|\d+\/\d+)$/i;

const rowShape: Shape<ExpectedRow, SimulatedRow> = {
  fits: (want, got) =>
    (want.ready ?? got.ready) === got.ready &&
    (want.status ?? got.status) === got.status &&
    (want.restarts ?? got.restarts) === got.restarts &&
    isWithin(want.within, got.t),
  want: ({ ready, status, restarts, within }) =>
    `${''.padStart(9)}  ${ready ?? '*'}  ${status ?? '*'}  ${restarts ?? '*'}${showWindow(within)}`,
  got: ({ t, ready, status, restarts }) => `${t.toFixed(1).padStart(8)}s  ${ready}  ${status}  ${restarts}`,
  yaml: ({ pod, ready, status, restarts }) => ({ pod, ready, status, restarts }),
};

const nodeShape: Shape<ExpectedNode, SimulatedNodeState> = {
  fits: (want, got) =>
    (want.ready ?? got.ready) === got.ready &&
    got.message.includes(want.message ?? '') &&
    (want.taint ?? taintOf(got)) === taintOf(got) &&
    (want.evicting ?? got.evicting) === got.evicting &&
    isWithin(want.within, got.t),
  want: ({ ready, message, taint, evicting, within }) =>
    `${''.padStart(9)}  ${ready ?? '*'}  ${message ?? '*'}  ${taint ?? '*'}  ${evicting ?? '*'}${showWindow(within)}`,
  got: (node) =>
    `${node.t.toFixed(1).padStart(8)}s  ${node.ready}  ${node.message}  ${taintOf(node)}  ${node.evicting}`,
  yaml: (node) => ({
    ready: node.ready,
    // Durations differ between seeds: keep only the text before them.
    message: node.message.slice(0, commonLength(node.message, withoutTimes(node.message))),
    taint: taintOf(node),
    evicting: node.evicting,
  }),
};

function commonLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length++;
  return length;
}

const taintOf = ({ taint }: SimulatedNodeState): string =>
  taint?.replace('node.kubernetes.io/', '') ?? 'none';

function checkEvent(want: Expected['events'][number], { events }: Simulation): string[] {
  const found = events.filter(
    (event) =>
      (want.pod ?? event.pod) === event.pod &&
      (want.type ?? event.type) === event.type &&
      (want.reason ?? event.reason) === event.reason &&
      event.message.includes(want.message ?? '') &&
      isWithin(want.within, event.t),
  );
  const { within, count, ...what } = want;
  return checkCount(`events like ${JSON.stringify(what)}${showWindow(within)}`, count, found.length);
}

function checkMetric({ name, is, of, at }: Expected['metrics'][number], { metrics }: Simulation): string[] {
  const sample = at === undefined ? metrics.at(-1) : metrics.find(({ t }) => t === at / 1000);
  const when = at === undefined ? 'at the end' : `at ${at / 1000}s`;
  if (of === 'runtime')
    return checkCount(`series of ${name} of the runtime ${when}`, is, sample?.series?.get(name) ?? 0);
  const value = sample?.values.get(name);
  if (value === undefined) return [`expected a metric ${name} ${when}; the kubelet does not expose it`];
  return fits(is, value) ? [] : [`expected ${name} ${when} to be ${showAmount(is)}; it was ${value}`];
}

function mostRunning(containerEvents: readonly SimulatedContainerEvent[]): number {
  let [now, most] = [0, 0];
  for (const { what } of containerEvents) {
    now += what === 'started' ? 1 : -1;
    most = Math.max(most, now);
  }
  return most;
}

const AT_LEAST_ONE: Amount = { atLeast: 1 };

function checkCount(what: string, wanted: Amount = AT_LEAST_ONE, found: number): string[] {
  return fits(wanted, found) ? [] : [`expected ${showAmount(wanted)} ${what}; there were ${found}`];
}

const fits = (wanted: Amount, found: number): boolean =>
  typeof wanted === 'number'
    ? found === wanted
    : found >= (wanted.atLeast ?? Number.NEGATIVE_INFINITY) &&
      found <= (wanted.atMost ?? Number.POSITIVE_INFINITY);

function showAmount(wanted: Amount): string {
  if (typeof wanted === 'number') return String(wanted);
  const { atLeast, atMost } = wanted;
  if (atMost === undefined) return `at least ${atLeast}`;
  return atLeast === undefined ? `at most ${atMost}` : `${atLeast} to ${atMost}`;
}

const isWithin = (window: Window, seconds: number): boolean =>
  window === undefined || (seconds * 1000 >= window[0] && seconds * 1000 <= window[1]);

const showWindow = (window: Window): string =>
  window === undefined ? '' : ` (between ${window[0] / 1000}s and ${window[1] / 1000}s)`;

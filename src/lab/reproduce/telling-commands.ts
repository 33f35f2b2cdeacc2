import { counted, timesOf } from '../../base/input/counted.js';
import { append } from '../../base/input/group-by.js';
import { observeRun } from '../explore/run/observe.js';
import type { Simulation } from '../scenario/run/run.js';
import type { Cause } from './cause.js';
import { fitOf } from './distance/fit.js';
import type { Observation } from './observation.js';
import { logKind } from './read/log-kinds.js';

export interface TellingCommand {
  /** Numbers of the causes, from 1. */
  readonly between: readonly [number, number];
  readonly command: string;
  readonly shows: readonly [string, string];
}

/** Causes whose matches differ by less than this count as equal. */
const EQUAL = 0.02;
const MOST = 2;

/** Number of other seeds that must show a difference: what depends on the seed means nothing on a real node. */
const SEEDS = 2;
const MOST_SEEDS = 6;

/** Tells apart the causes for which there is time until it `isOver`. */
export async function tellApart(
  causes: readonly Cause[],
  seen: Observation,
  isOver: () => boolean,
): Promise<TellingCommand[]> {
  const pairs = equalPairs(causes);
  const runs = new Map<number, readonly Simulation[]>();
  for (const number of new Set(pairs.flat())) {
    if (isOver()) break;
    const cause = causes[number - 1] as Cause;
    runs.set(number, [cause.run, ...(await runsAgain(cause, seen, 'apart', SEEDS))]);
  }
  return pairs.flatMap((between) => {
    // A cause without runs differs in nothing.
    const [left = [], right = []] = between.map((number) => runs.get(number) ?? []);
    const found = left.flatMap((run) => right.map((other) => differences(run, other)));
    return lasting(found)
      .slice(0, MOST)
      .map((each): TellingCommand => ({ ...each, between }));
  });
}

/**
 * Runs a cause's scenario with other seeds, and keeps the runs that still show the observation: a call slightly earlier
 * or later may miss its fault, and then the cause did not happen.
 */
export async function runsAgain(
  { scenario, fit }: Pick<Cause, 'scenario' | 'fit'>,
  seen: Observation,
  seeds: string,
  count: number,
): Promise<Simulation[]> {
  const runs: Simulation[] = [];
  for (let number = 1; number <= MOST_SEEDS && runs.length < count; number++) {
    const { run } = await observeRun({ ...scenario, seed: `${seeds}-${number}` });
    if (run !== undefined && fitOf(seen, run, scenario.until / 1000).score >= fit - EQUAL) runs.push(run);
  }
  return runs;
}

/** Differences that each seed shows, those with equal values first. */
function lasting([first = [], ...others]: readonly (readonly Found[])[]): Found[] {
  const same = ({ command }: Found) => others.map((each) => each.find((other) => other.command === command));
  const differing = first.filter((each) => same(each).every((other) => other !== undefined));
  const isEqual = (each: Found) => same(each).every((other) => other?.shows.join() === each.shows.join());
  return [...differing.filter(isEqual), ...differing.filter((each) => !isEqual(each))];
}

/** Pairs of causes that match equally, numbered from 1. */
export const equalPairs = (causes: readonly Cause[]): (readonly [number, number])[] =>
  causes.flatMap((left, a) =>
    causes.flatMap((right, b) =>
      b > a && Math.abs(left.fit - right.fit) <= EQUAL ? [[a + 1, b + 1] as const] : [],
    ),
  );

type Found = Omit<TellingCommand, 'between'>;

export function differences(left: Simulation, right: Simulation): Found[] {
  return [
    ...compare(left, right, containersOf),
    ...compare(left, right, lastRows),
    ...compare(left, right, nodeOf),
    ...compare(left, right, eventsOf),
    ...compare(left, right, linesOf),
    ...compare(left, right, sandboxesOf),
    ...compare(left, right, leftContainers),
    ...compare(left, right, statusesOf),
    ...compare(left, right, endsOf),
    ...compare(left, right, restartsOf),
    ...compare(left, right, failedCalls),
    ...compare(left, right, longCalls),
  ];
}

type View = (run: Simulation) => Map<string, string>;

function compare(left: Simulation, right: Simulation, view: View): Found[] {
  const [a, b] = [view(left), view(right)];
  return [...new Set([...a.keys(), ...b.keys()])].flatMap((command) => {
    const shows: [string, string] = [a.get(command) ?? 'nothing', b.get(command) ?? 'nothing'];
    return shows[0] === shows[1] ? [] : [{ command, shows }];
  });
}

function containersOf({ containerEvents }: Simulation): Map<string, string> {
  const states = new Map<string, Map<number, boolean>>();
  for (const { container, attempt, what } of containerEvents) {
    const attempts = states.get(container) ?? new Map<number, boolean>();
    attempts.set(attempt, what === 'started');
    states.set(container, attempts);
  }
  return new Map(
    [...states].map(([name, attempts]) => {
      const running = [...attempts].filter(([, isRunning]) => isRunning);
      const numbers = running.map(([attempt]) => attempt).join(' and ');
      const text = running.length === 0 ? 'none Running' : `${running.length} Running, ATTEMPT ${numbers}`;
      return [`crictl ps -a --name ${name}`, text];
    }),
  );
}

function lastRows({ rows }: Simulation): Map<string, string> {
  return new Map(
    rows.map(({ pod, ready, status, restarts }) => [
      `kubectl get pod ${named(pod)}`,
      `${ready} ${status}, RESTARTS ${restarts}`,
    ]),
  );
}

const named = (pod: string): string => pod.replace(/^([^/]+)\/(.*)$/, '-n $1 $2');

function nodeOf({ nodes }: Simulation): Map<string, string> {
  // The first state of each run belongs to a kubelet that has just started.
  const falls = nodes.filter(({ t, ready }) => t > 5 && ready !== 'True').length;
  return new Map([
    ['kubectl get node -w', falls === 0 ? 'Ready all the time' : `NotReady, ${timesOf(falls)}`],
  ]);
}

function eventsOf({ events }: Simulation): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { reason } of events) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  return new Map(
    [...counts].map(([reason, count]) => [
      `kubectl get events --field-selector reason=${reason}`,
      timesOf(count),
    ]),
  );
}

function linesOf({ log }: Simulation): Map<string, string> {
  const kinds = new Set(log.flatMap(({ text }) => logKind(text) ?? []));
  return new Map([...kinds].map((kind) => [`journalctl -u kubelet | grep '${kind}'`, 'such lines']));
}

function sandboxesOf({ left }: Simulation): Map<string, string> {
  return new Map(
    left.map(({ pod, sandboxes }) => [`crictl pods --name ${pod.replace(/^.*\//, '')}`, timesOf(sandboxes)]),
  );
}

function leftContainers({ left }: Simulation): Map<string, string> {
  return new Map(
    left.map(({ pod, containers }) => [
      `crictl ps -a --label io.kubernetes.pod.name=${pod.replace(/^.*\//, '')}`,
      counted(containers, 'container'),
    ]),
  );
}

/** Number of changes per pod to compare: a loop has as many as the time allows. */
const CHANGES = 8;

function statusesOf({ rows }: Simulation): Map<string, string> {
  const byPod = new Map<string, string[]>();
  for (const { pod, ready, status, restarts } of rows)
    append(byPod, pod, `${ready} ${status}${restarts > 0 ? ` ${restarts}` : ''}`);
  return new Map(
    [...byPod].map(([pod, texts]) => [
      `kubectl get pod ${named(pod)} -w`,
      [...texts.slice(0, CHANGES), ...(texts.length > CHANGES ? ['…'] : [])].join(', '),
    ]),
  );
}

/** How the containers last ended; the kubelet removes traces of earlier ends. */
function endsOf({ containerEvents }: Simulation): Map<string, string> {
  return new Map(
    containerEvents
      .filter(({ what }) => what === 'ended')
      .map(({ container, exitCode = 0 }) => [
        `crictl ps -aq --state Exited --name ${container} | head -1 | xargs crictl inspect | grep exitCode`,
        `${exitCode}`,
      ]),
  );
}

function restartsOf({ kubelets, faults }: Simulation): Map<string, string> {
  const starts = kubelets.filter(({ what }) => what === 'started').length;
  const restarts = faults.filter(({ action }) => action === 'restart').length;
  const jumps = faults.some(({ action }) => action === 'clockSkew');
  return new Map([
    ["journalctl -u kubelet | grep 'Started kubelet'", timesOf(starts)],
    ...(restarts > 0
      ? [["journalctl -u containerd | grep 'successfully booted'", timesOf(restarts)] as const]
      : []),
    ...(jumps ? [["journalctl | grep 'Time has been changed'", 'such lines'] as const] : []),
  ]);
}

const METRICS = 'kubectl get --raw /api/v1/nodes/NODE/proxy/metrics | grep';

/** Calls that the kubelet counts since its last start, without streams. */
const countedCalls = ({ calls, kubelets }: Simulation) => {
  const begun = kubelets.findLast(({ what }) => what === 'started')?.t ?? 0;
  return calls.filter(({ rpc, t, end }) => t >= begun && end !== undefined && rpc !== 'GetContainerEvents');
};

/** Operation name in the kubelet's metrics: `run_podsandbox`. */
const operationOf = (rpc: string): string =>
  rpc
    .replace('PodSandbox', 'Podsandbox')
    .replace(/(?<=[a-z])(?=[A-Z])/g, '_')
    .toLowerCase();

/** Repeated failures are as frequent as the kubelet's retries. */
const FEW = 3;

function failedCalls(run: Simulation): Map<string, string> {
  const counts = new Map<string, number>();
  for (const { rpc, code } of countedCalls(run))
    if (code !== 'OK') counts.set(rpc, (counts.get(rpc) ?? 0) + 1);
  return new Map(
    [...counts].map(([rpc, count]) => [
      `${METRICS} 'runtime_operations_errors_total{operation_type="${operationOf(rpc)}"}'`,
      count <= FEW ? `${count}` : `more than ${FEW}`,
    ]),
  );
}

/** Upper bounds in seconds for the total duration of an RPC's calls. */
const LONG = [5, 15, 60, 150] as const;

function longCalls(run: Simulation): Map<string, string> {
  const sums = new Map<string, number>();
  for (const { rpc, t, end = t } of countedCalls(run)) sums.set(rpc, (sums.get(rpc) ?? 0) + end - t);
  return new Map(
    [...sums].map(([rpc, sum]) => {
      const limit = LONG.findLast((each) => sum > each);
      return [
        `${METRICS} 'runtime_operations_duration_seconds_sum{operation_type="${operationOf(rpc)}"}'`,
        limit === undefined ? `less than ${LONG[0]}` : `more than ${limit}`,
      ];
    }),
  );
}

import { timesOf } from '../input/counted.js';
import type { Simulation } from '../scenario/run/run.js';
import type { Cause } from './cause.js';
import { logKind } from './read/log-kinds.js';

/** What differs on the node between two causes that fit equally. */
export interface Difference {
  /** Numbers of the causes, from 1. */
  readonly between: readonly [number, number];
  /** What to run on the node or in the cluster. */
  readonly command: string;
  /** What it shows under each of the two. */
  readonly shows: readonly [string, string];
}

/** Fits that are nearer to each other than this do not decide between two causes. */
const EQUAL = 0.02;
/** Differences of one pair of causes that are named. */
const MOST = 2;

/** How to tell apart each two causes that fit equally: computed from their runs. */
export const tellApart = (causes: readonly Cause[]): Difference[] =>
  equalPairs(causes).flatMap((between) => {
    const [left, right] = between.map((number) => causes[number - 1]) as [Cause, Cause];
    return differences(left.run, right.run)
      .slice(0, MOST)
      .map((each): Difference => ({ ...each, between }));
  });

/** Numbers, from 1, of each two causes that fit equally. */
export const equalPairs = (causes: readonly Cause[]): (readonly [number, number])[] =>
  causes.flatMap((left, a) =>
    causes.flatMap((right, b) =>
      b > a && Math.abs(left.fit - right.fit) <= EQUAL ? [[a + 1, b + 1] as const] : [],
    ),
  );

type Found = Omit<Difference, 'between'>;

/** What two runs differ in, the easiest to look at first. */
export function differences(left: Simulation, right: Simulation): Found[] {
  return [
    ...compare(left, right, containersOf),
    ...compare(left, right, lastRows),
    ...compare(left, right, nodeOf),
    ...compare(left, right, eventsOf),
    ...compare(left, right, linesOf),
    ...compare(left, right, sandboxesOf),
    ...compare(left, right, endsOf),
    ...compare(left, right, restartsOf),
  ];
}

/** What a command shows of a run, by command. */
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
  // The first state of each run is that of a kubelet that has just started.
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

/** How the containers last ended: of earlier ends, the kubelet removes what is left. */
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

/** What the services of the node and its clock were seen to do. */
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

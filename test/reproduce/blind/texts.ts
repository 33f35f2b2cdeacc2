import { createRandom } from '../../../src/base/random/random.js';
import { humanDuration } from '../../../src/kubelet/status/human-duration.js';
import { clockText } from '../../../src/lab/scenario/output/clock-text.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';

/**
 * How rows are seen: every second, with a fifth of them lost, with ages as kubectl rounds them; in a watch, whose lines
 * are the changes; in tables with a second, healthy replica; or the last state alone, as kubectl describes it.
 */
export const viewings = ['each second', '20 % lost', 'ages', 'watch', 'replicas', 'describe'] as const;
export type Viewing = (typeof viewings)[number];

/** A run's output until `end` (seconds) as text: rows of pods, events, rows of the node. */
export function textsOf(run: Simulation, end: number, viewing: Viewing): string[] {
  const texts = viewing === 'describe' ? describedPods(run, end) : [podRows(run, end, viewing).join('\n')];
  const events = viewing === 'describe' ? '' : eventsText(run, end, isClocked(viewing));
  return [...texts, events, nodeRows(run, end)].filter((text) => text !== '');
}

/** Whether each line has the time of its observation. */
const isClocked = (viewing: Viewing): boolean => viewing === 'each second' || viewing === '20 % lost';

function podRows(run: Simulation, end: number, viewing: Viewing): string[] {
  const random = createRandom('viewing');
  const pods = [...new Set(run.rows.map(({ pod }) => pod))];
  if (viewing === 'watch') {
    const rows = run.rows.filter(({ t, pod }) => t <= end && !isGone(run, pod, t));
    return ['NAME   READY   STATUS   RESTARTS   AGE', ...rows.map((row) => rowText(row, row.t))];
  }
  const lines: string[] = [];
  for (let t = 0; t < end; t++) {
    for (const pod of pods) {
      const row = run.rows.findLast((each) => each.pod === pod && each.t <= t);
      if (row === undefined || isGone(run, pod, t)) continue;
      if (viewing === '20 % lost' && random.next() < 0.2) continue;
      lines.push(`${isClocked(viewing) ? `${clockText(t)}   ` : ''}${rowText(row, t)}`);
      if (viewing === 'replicas')
        lines.push(rowText({ ...row, pod: `${pod}-2`, ready: '1/1', status: 'Running', restarts: 0 }, t));
    }
  }
  return lines;
}

const isGone = (run: Simulation, pod: string, t: number): boolean =>
  run.pods.some((each) => each.pod === pod && each.what === 'gone' && each.t <= t);

type Row = Simulation['rows'][number];

const rowText = ({ pod, ready, status, restarts }: Row, t: number): string =>
  `${pod.replace('/', '   ')}   ${ready}   ${status}   ${restarts}   ${humanDuration(t * 1000)}`;

/** A node's row has the watch's time, unlike the pods' rows. */
function nodeRows({ nodes }: Simulation, end: number): string {
  const states: string[] = [];
  for (let t = 0; t < end; t += 5) {
    const node = nodes.findLast((each) => each.t <= t);
    if (node !== undefined)
      states.push(`${clockText(t)}   node   ${node.ready === 'True' ? 'Ready' : 'NotReady'}   <none>   5d`);
  }
  return states.join('\n');
}

/** As kubectl describe pod: the last state of each, and its events. */
function describedPods(run: Simulation, end: number): string[] {
  return [...new Set(run.rows.map(({ pod }) => pod))].flatMap((pod) => {
    const row = run.rows.findLast((each) => each.pod === pod && each.t <= end);
    if (row === undefined || isGone(run, pod, end)) return [];
    const [name = '', namespace = 'default'] = pod.split('/').reverse();
    const deleted = run.pods.find((each) => each.pod === pod && each.what === 'deleted' && each.t <= end);
    const status =
      deleted === undefined ? phaseOf(row) : `Terminating (lasts ${humanDuration((end - deleted.t) * 1000)})`;
    return [
      [
        `Name:             ${name}`,
        `Namespace:        ${namespace}`,
        `Status:           ${status}`,
        'Containers:',
        ...containersOf(run, row, end),
        'Events:',
        '  Type   Reason   Age   From   Message',
        '  ----   ------   ----   ----   -------',
        ...summed(run, end, pod).map(
          ({ first, last, count, type, reason, message }) =>
            `  ${type}   ${reason}   ${agesText(end, first, last, count)}   kubelet   ${message}`,
        ),
      ].join('\n'),
    ];
  });
}

const phaseOf = ({ status }: Row): string =>
  ['Running', 'Succeeded', 'Failed'].find((phase) => status === phase) ??
  (status === 'Completed'
    ? 'Succeeded'
    : /^(Pending|ContainerCreating|Init:)/.test(status)
      ? 'Pending'
      : 'Running');

/**
 * State, last state, readiness and restarts of each container that has started. The run does not say which of the
 * running ones are ready: the first ones.
 */
function containersOf({ containerEvents }: Simulation, { pod, ready, status }: Row, end: number): string[] {
  let left = Number.parseInt(ready, 10);
  const own = containerEvents.filter((each) => each.pod === pod && each.t <= end);
  return [...new Set(own.map(({ container }) => container))].flatMap((container) => {
    const events = own.filter((each) => each.container === container);
    const ended = events.findLast(({ what }) => what === 'ended');
    const end = ended === undefined ? [] : terminated(ended);
    const isRunning = events.at(-1)?.what === 'started';
    const isWaiting = !isRunning && !['Completed', 'Error', 'OOMKilled'].includes(status);
    const state = isRunning ? ['Running'] : isWaiting ? ['Waiting', `      Reason:       ${status}`] : end;
    const before = isRunning || isWaiting ? end : [];
    return [
      `  ${container}:`,
      ...state.map((line, index) => (index === 0 ? `    State:          ${line}` : line)),
      ...before.map((line, index) => (index === 0 ? `    Last State:     ${line}` : line)),
      `    Ready:          ${isRunning && left-- > 0 ? 'True' : 'False'}`,
      `    Restart Count:  ${Math.max(0, ...events.map(({ attempt }) => attempt))}`,
    ];
  });
}

const terminated = ({ exitCode = 0, reason }: Simulation['containerEvents'][number]): string[] => [
  'Terminated',
  `      Reason:       ${reason ?? (exitCode === 0 ? 'Completed' : 'Error')}`,
  `      Exit Code:    ${exitCode}`,
];

/** As kubectl get events: equal events are one line with their number. */
function eventsText(run: Simulation, end: number, hasClock: boolean): string {
  if (hasClock)
    return run.events
      .filter(({ t }) => t <= end)
      .map(
        ({ t, type, reason, pod, message }) =>
          `${clockText(t)}   ${type}   ${reason}   ${pod}   ${oneLine(message)}`,
      )
      .join('\n');
  const scheduled = [...new Set(run.rows.map(({ pod }) => pod))].map(
    (pod) =>
      `${humanDuration(end * 1000)}   Normal   Scheduled   pod/${shortName(pod)}   Successfully assigned`,
  );
  return [
    'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE',
    ...scheduled,
    ...summed(run, end).map(
      ({ first, last, count, type, reason, pod, message }) =>
        `${agesText(end, first, last, count)}   ${type}   ${reason}   pod/${shortName(pod)}   ${message}`,
    ),
  ].join('\n');
}

interface Summed {
  readonly type: string;
  readonly reason: string;
  readonly pod: string;
  readonly message: string;
  readonly first: number;
  readonly last: number;
  readonly count: number;
}

/** Equal events as one, of one pod or of all. */
function summed({ events }: Simulation, end: number, only?: string): Summed[] {
  const byKey = new Map<string, Summed>();
  for (const { t, type, reason, pod, message } of events) {
    if (t > end || (only !== undefined && pod !== only)) continue;
    const key = `${type} ${reason} ${pod} ${message}`;
    const known = byKey.get(key) ?? {
      type,
      reason,
      pod,
      message: oneLine(message),
      first: t,
      last: t,
      count: 0,
    };
    byKey.set(key, { ...known, last: t, count: known.count + 1 });
  }
  return [...byKey.values()];
}

const agesText = (end: number, first: number, last: number, count: number): string => {
  const ago = (t: number) => humanDuration((end - t) * 1000);
  return count === 1 ? ago(last) : `${ago(last)} (x${count} over ${ago(first)})`;
};

const shortName = (pod: string): string => pod.replace(/^.*\//, '');

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

import { groupBy } from '../../../base/input/group-by.js';
import { podText } from '../../pod-text.js';
import { goneAt, type RunBreach, type RunFacts, type RunRule, type ShownPod } from './rule.js';

/**
 * In seconds: how long the kubelet may take to notice and show the runtime's state. A relist happens every second, and
 * a sync at most 15 s after a failed one (backOffPeriod with its jitter, pod_workers.go), three times in a row.
 */
const NOTICE = 45;

const rowsByPod = ({ run }: RunFacts): Map<string, ShownPod[]> => groupBy(run.rows, ({ pod }) => pod);

/**
 * Whether RESTARTS counts init containers: kubectl counts them until the pod is initialized, then the containers
 * (pkg/printers/internalversion/printers.go printPod).
 */
const isInitializing = ({ status }: ShownPod): boolean => status.startsWith('Init:');

/** RESTARTS is the sum of attempts, which only grow for the same pod. */
export const restartsGrow: RunRule = {
  title: 'RESTARTS never goes down',
  check: (facts) =>
    [...rowsByPod(facts)].flatMap(([pod, rows]): RunBreach[] => {
      const [row, before] = lowered(rows);
      if (row === undefined || before === undefined || (goneAt(facts.run, pod) ?? facts.end) < row.t)
        return [];
      return [
        {
          pod,
          message: `RESTARTS of pod ${pod} goes from ${before.restarts} to ${row.restarts} at ${row.t}s`,
        },
      ];
    }),
};

/** The first row with RESTARTS below an earlier row that counts the same containers; and that row. */
function lowered(rows: readonly ShownPod[]): ShownPod[] {
  let last: ShownPod | undefined;
  let lastOfContainers: ShownPod | undefined;
  for (const row of rows) {
    const isInit = isInitializing(row);
    // A sidecar that ends later looks like a starting pod, but counts with the containers.
    const before = isInit ? last : lastOfContainers;
    const isComparable = before !== undefined && isInitializing(before) === isInit;
    if (isComparable && row.restarts < before.restarts) return [row, before];
    last = row;
    if (!isInit) lastOfContainers = row;
  }
  return [];
}

/** RESTARTS counts instances with a predecessor, so it cannot exceed the number of ended instances. */
export const countsRestarts: RunRule = {
  title: 'RESTARTS is the number of restarts that happened',
  check: (facts) =>
    [...rowsByPod(facts)].flatMap(([pod, rows]): RunBreach[] => {
      const containerEvents = facts.run.containerEvents.filter((event) => event.pod === pod);
      const endsUntil = (t: number) =>
        containerEvents.filter((event) => event.what === 'ended' && event.t <= t).length;
      const tooMany = rows.find(({ t, restarts }) => restarts > endsUntil(t));
      if (tooMany !== undefined)
        return [
          {
            pod,
            message: `RESTARTS of pod ${pod} is ${tooMany.restarts} at ${tooMany.t}s, but ${endsUntil(tooMany.t)} instances had ended by then`,
          },
        ];
      const last = rows.at(-1);
      const names = new Set(
        facts.pods.find(({ metadata }) => podText(metadata) === pod)?.spec.containers.map(({ name }) => name),
      );
      const until = facts.end - NOTICE;
      const starts = containerEvents.filter(
        ({ what, container, t }) => what === 'started' && names.has(container) && t <= until,
      );
      const least = starts.length - new Set(starts.map(({ container }) => container)).size;
      if (last === undefined || last.restarts >= least || goneAt(facts.run, pod) !== undefined) return [];
      if (isInitializing(last)) return [];
      const message = `RESTARTS of pod ${pod} is ${last.restarts} at the end, but its containers were restarted ${least} times`;
      return [{ pod, message }];
    }),
};

/** A pod shown as ready runs, and a running pod without probes is ready, apart from the time to notice it. */
export const showsTruth: RunRule = {
  title: 'the kubelet shows the state of the runtime',
  check: (facts) => facts.pods.flatMap(({ metadata }) => longestError(facts, podText(metadata))),
};

interface Change {
  readonly t: number;
  readonly row?: ShownPod;
  readonly started?: string;
  readonly ended?: string;
}

function longestError(facts: RunFacts, pod: string): RunBreach[] {
  const { run, from, end } = facts;
  const spec = facts.pods.find(({ metadata }) => podText(metadata) === pod)?.spec;
  const containers = spec?.containers ?? [];
  const names = new Set(containers.map(({ name }) => name));
  const isProbed = containers.some(({ readinessProbe, startupProbe }) => readinessProbe ?? startupProbe);
  const sidecars = spec?.initContainers.some(({ restartPolicy }) => restartPolicy === 'Always');
  if (sidecars) return [];
  const gone = goneAt(facts.run, pod);
  const changes: Change[] = [
    ...run.rows.filter((row) => row.pod === pod).map((row) => ({ t: row.t, row })),
    ...run.containerEvents
      .filter((event) => event.pod === pod && names.has(event.container))
      .map(({ t, what, container }) =>
        what === 'started' ? { t, started: container } : { t, ended: container },
      ),
    ...(gone === undefined ? [] : [{ t: gone }]),
    { t: end },
  ].sort((a, b) => a.t - b.t);

  const running = new Map<string, number>();
  let shown: ShownPod | undefined;
  let since = from;
  let message: string | undefined;
  for (const change of changes) {
    if (message !== undefined && change.t - Math.max(since, from) > NOTICE) {
      const seconds = Math.round(change.t - Math.max(since, from));
      return [{ pod, message: `${message} for ${seconds}s from ${Math.max(since, from)}s on` }];
    }
    const { started, ended, row } = change;
    if (started !== undefined) running.set(started, (running.get(started) ?? 0) + 1);
    if (ended !== undefined) running.set(ended, (running.get(ended) ?? 0) - 1);
    shown = row ?? shown;
    const count = [...running.values()].filter((each) => each > 0).length;
    const next = errorOf(pod, gone !== undefined && change.t >= gone ? 'gone' : shown, count, isProbed);
    if (next !== message) since = change.t;
    message = next;
  }
  return [];
}

/** The error of a row while this number of containers runs; undefined without one. */
function errorOf(
  pod: string,
  shown: ShownPod | 'gone' | undefined,
  running: number,
  isProbed: boolean,
): string | undefined {
  if (shown === undefined) return undefined;
  if (shown === 'gone')
    return running > 0 ? `pod ${pod} is gone, but ${running} of its containers run` : undefined;
  const ready = Number(shown.ready.split('/')[0]);
  const row = `pod ${pod} shows ${shown.ready} ${shown.status}`;
  if (ready > running) return `${row}, but ${running} of its containers run`;
  if (ready < running && !isProbed && shown.status !== 'Terminating')
    return `${row}, but ${running} of its containers run`;
  return undefined;
}

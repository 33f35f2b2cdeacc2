import { groupBy } from '../../../base/input/group-by.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedContainerEvent, SimulatedRow, Simulation } from '../run/run.js';
import type { Explanation } from './explanation.js';

export function explainReadiness(run: Simulation): Explanation[] {
  const pods = groupBy(run.rows, ({ pod }) => pod);
  return [...pods].flatMap(([pod, rows]) => ofPod(pod, rows, run));
}

function ofPod(pod: string, rows: readonly SimulatedRow[], run: Simulation): Explanation[] {
  const findings: Explanation[] = [];
  const begun = rows[0]?.t ?? 0;
  let readyAt: number | undefined;
  /** When it became unready since, and the container that ended, if that is the cause. */
  let lost: { readonly t: number; readonly ended: SimulatedContainerEvent | undefined } | undefined;
  for (const { t, ready, status } of rows) {
    if (isReady(ready, status)) {
      if (readyAt === undefined)
        findings.push({ t, text: `Pod ${pod} became ready ${clockText(t - begun)} after its first row.` });
      else if (lost !== undefined) findings.push(...backAgain(pod, t, lost, run));
      readyAt = t;
      lost = undefined;
    } else if (readyAt !== undefined && lost === undefined) {
      const ended = endBetween(pod, readyAt, t, run);
      // Ends of containers are explained with the restart. Otherwise only a pod with running containers shows
      // readiness.
      if (ended === undefined && (status !== 'Running' || !allRun(pod, t, run))) continue;
      lost = { t, ended };
      if (ended === undefined)
        findings.push({
          t,
          text: `Pod ${pod} stopped being ready (${ready}): ${causeOf(pod, readyAt, t, run)}.`,
        });
    }
  }
  if (readyAt === undefined && rows.length > 0 && !rows.some(({ status }) => status === 'Completed'))
    findings.push({
      t: rows.at(-1)?.t ?? begun,
      text: `Pod ${pod} never became ready: its last row is ${lastRow(rows)}.`,
    });
  return findings;
}

/** In seconds: a container ready this soon after its start needs no explanation. */
const USUAL = 1;

/** A pod is ready again: after a probe, or some time after the restart of an ended container. */
function backAgain(
  pod: string,
  t: number,
  { t: since, ended }: { readonly t: number; readonly ended: SimulatedContainerEvent | undefined },
  { containerEvents }: Simulation,
): Explanation[] {
  if (ended === undefined) return [{ t, text: `Pod ${pod} was ready again after ${clockText(t - since)}.` }];
  const { container } = ended;
  const started = containerEvents.findLast(
    (event) => event.pod === pod && event.container === container && event.what === 'started' && event.t <= t,
  );
  if (started === undefined || t - started.t < USUAL) return [];
  return [
    {
      t,
      text: `Pod ${pod} was ready again ${clockText(t - since)} after ${container} exited: the container restarted at ${clockText(started.t)}, and needed ${clockText(t - started.t)} more to become ready.`,
    },
  ];
}

/** The pod's first container that ended in this interval. */
const endBetween = (
  pod: string,
  after: number,
  until: number,
  { containerEvents }: Simulation,
): SimulatedContainerEvent | undefined =>
  containerEvents.find(
    (event) => event.pod === pod && event.what === 'ended' && event.t > after && event.t <= until,
  );

const lastRow = (rows: readonly SimulatedRow[]): string => {
  const { ready = '', status = '' } = rows.at(-1) ?? {};
  return `${ready} ${status}`;
};

function isReady(ready: string, status: string): boolean {
  const [now, all] = ready.split('/');
  return now === all && status === 'Running';
}

/** Whether no container of the pod waits for a restart: that is explained with the restart. */
function allRun(pod: string, t: number, { containerEvents }: Simulation): boolean {
  const last = new Map(
    containerEvents
      .filter((event) => event.pod === pod && event.t <= t)
      .map(({ container, what }) => [container, what]),
  );
  return [...last.values()].every((what) => what === 'started');
}

function causeOf(pod: string, after: number, t: number, { events, nodes }: Simulation): string {
  const failed = events.findLast(
    (event) => event.pod === pod && event.t >= after && event.t <= t && event.probe === 'readiness',
  );
  if (failed !== undefined) return 'its readiness probe failed';
  const node = nodes.findLast((each) => each.t <= t);
  return node !== undefined && node.ready !== 'True'
    ? 'the node was not ready'
    : 'the kubelet did not count all its containers as ready';
}

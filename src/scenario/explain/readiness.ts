import { clockText } from '../clock-text.js';
import type { SimulatedRow, Simulation } from '../run.js';
import type { Explanation } from './explanation.js';
import { groupedBy } from './repeated.js';

/** When each pod was ready for the first time, and when it was not although its containers ran. */
export function explainReadiness(run: Simulation): Explanation[] {
  const pods = groupedBy(run.rows, ({ pod }) => pod);
  return [...pods].flatMap(([pod, rows]) => ofPod(pod, rows, run));
}

function ofPod(pod: string, rows: readonly SimulatedRow[], run: Simulation): Explanation[] {
  const findings: Explanation[] = [];
  const begun = rows[0]?.t ?? 0;
  let wasReady = false;
  let unreadySince: number | undefined;
  for (const { t, ready, status } of rows) {
    if (isReady(ready, status)) {
      if (!wasReady)
        findings.push({ t, text: `Pod ${pod} is ready, ${clockText(t - begun)} after its first row.` });
      else if (unreadySince !== undefined)
        findings.push({ t, text: `Pod ${pod} is ready again, after ${clockText(t - unreadySince)}.` });
      wasReady = true;
      unreadySince = undefined;
    } else if (wasReady && unreadySince === undefined && status === 'Running' && allRun(pod, t, run)) {
      unreadySince = t;
      findings.push({ t, text: `Pod ${pod} is no longer ready (${ready}): ${causeOf(pod, t, run)}.` });
    }
  }
  if (!wasReady && rows.length > 0 && !rows.some(({ status }) => status === 'Completed'))
    findings.push({
      t: rows.at(-1)?.t ?? begun,
      text: `Pod ${pod} is not ready at any time: its last row is ${lastRow(rows)}.`,
    });
  return findings;
}

const lastRow = (rows: readonly SimulatedRow[]): string => {
  const { ready = '', status = '' } = rows.at(-1) ?? {};
  return `${ready} ${status}`;
};

function isReady(ready: string, status: string): boolean {
  const [now, all] = ready.split('/');
  return now === all && status === 'Running';
}

/** Whether no container of the pod has ended and waits for its restart: that is explained with the restart. */
function allRun(pod: string, t: number, { lives }: Simulation): boolean {
  const last = new Map(
    lives.filter((life) => life.pod === pod && life.t <= t).map(({ container, what }) => [container, what]),
  );
  return [...last.values()].every((what) => what === 'started');
}

function causeOf(pod: string, t: number, { events, nodes }: Simulation): string {
  const failed = events.findLast(
    (event) => event.pod === pod && event.t <= t && event.message.startsWith('Readiness probe'),
  );
  if (failed !== undefined) return `its readiness probe fails`;
  const node = nodes.findLast((each) => each.t <= t);
  return node !== undefined && node.ready !== 'True'
    ? 'the node is not ready'
    : 'the kubelet does not count all its containers as ready';
}

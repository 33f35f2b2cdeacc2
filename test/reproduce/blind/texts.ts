import { createRandom } from '../../../src/base/random/random.js';
import { humanDuration } from '../../../src/kubelet/status/human-duration.js';
import { clockText } from '../../../src/lab/scenario/output/clock-text.js';
import type { Simulation } from '../../../src/lab/scenario/run/run.js';

/** How rows are seen: each second, with a fifth of them lost, or with ages as kubectl rounds them. */
export const viewings = ['each second', '20 % lost', 'ages'] as const;
export type Viewing = (typeof viewings)[number];

/** What a run shows until `end` (seconds), as text: rows of pods, events, rows of the node. */
export function textsOf(run: Simulation, end: number, viewing: Viewing): string[] {
  const random = createRandom('viewing');
  const lines: string[] = [];
  const pods = [...new Set(run.rows.map(({ pod }) => pod))];
  const states: string[] = [];
  const time = (t: number) => (viewing === 'ages' ? '' : `${clockText(t)}   `);
  for (let t = 0; t < end; t++) {
    for (const pod of pods) {
      const row = run.rows.findLast((each) => each.pod === pod && each.t <= t);
      const gone = run.pods.find((each) => each.pod === pod && each.what === 'gone');
      if (row === undefined || (gone !== undefined && gone.t <= t)) continue;
      if (viewing === '20 % lost' && random.next() < 0.2) continue;
      const name = pod.includes('/') ? pod.replace('/', '   ') : pod;
      lines.push(
        `${time(t)}${name}   ${row.ready}   ${row.status}   ${row.restarts}   ${humanDuration(t * 1000)}`,
      );
    }
    const node = run.nodes.findLast((each) => each.t <= t);
    // The time of a node's row is that of the watch, whatever the pods' rows have.
    if (node !== undefined && t % 5 === 0)
      states.push(`${clockText(t)}   node   ${node.ready === 'True' ? 'Ready' : 'NotReady'}   <none>   5d`);
  }
  return [lines.join('\n'), eventsText(run, end, viewing), states.join('\n')].filter((text) => text !== '');
}

/** As kubectl get events: equal events are one line with their number. */
function eventsText(run: Simulation, end: number, viewing: Viewing): string {
  const events = run.events.filter(({ t }) => t <= end);
  if (viewing !== 'ages')
    return events
      .map(
        ({ t, type, reason, pod, message }) =>
          `${clockText(t)}   ${type}   ${reason}   ${pod}   ${oneLine(message)}`,
      )
      .join('\n');
  const byKey = new Map<string, { first: number; last: number; count: number; line: string }>();
  for (const { t, type, reason, pod, message } of events) {
    const key = `${type} ${reason} ${pod} ${message}`;
    const line = `${type}   ${reason}   pod/${pod.replace(/^.*\//, '')}   ${oneLine(message)}`;
    const known = byKey.get(key) ?? { first: t, last: t, count: 0, line };
    byKey.set(key, { ...known, last: t, count: known.count + 1 });
  }
  const ago = (t: number) => humanDuration((end - t) * 1000);
  const scheduled = [...new Set(run.rows.map(({ pod }) => pod))].map(
    (pod) => `${ago(0)}   Normal   Scheduled   pod/${pod.replace(/^.*\//, '')}   Successfully assigned`,
  );
  return [
    'LAST SEEN   TYPE   REASON   OBJECT   MESSAGE',
    ...scheduled,
    ...[...byKey.values()].map(({ first, last, count, line }) =>
      count === 1 ? `${ago(last)}   ${line}` : `${ago(last)} (x${count} over ${ago(first)})   ${line}`,
    ),
  ].join('\n');
}

const oneLine = (text: string): string => text.replace(/\s+/g, ' ');

import { formatDuration } from '../../../base/input/duration.js';
import { groupBy } from '../../../base/input/group-by.js';
import { clockText } from '../output/clock-text.js';
import type { SimulatedContainerEvent, Simulation } from '../run/run.js';
import { endText } from './ends.js';
import type { Explanation } from './explanation.js';

export function explainTerminations(run: Simulation): Explanation[] {
  const pods = [...new Set(run.rows.map(({ pod }) => pod))];
  return pods.flatMap((pod) => {
    const deleted = deletionOf(pod, run);
    return [...(deleted === undefined ? [] : [ofPod(pod, deleted, run)]), ...forGood(pod, deleted, run)];
  });
}

/** When a pod was deleted or evicted; undefined if neither. */
function deletionOf(pod: string, { rows, pods }: Simulation): number | undefined {
  const times = [
    ...rows.filter((row) => row.pod === pod && row.status === 'Terminating'),
    ...pods.filter((end) => end.pod === pod && end.what === 'deleted'),
  ].map(({ t }) => t);
  return times.length === 0 ? undefined : Math.min(...times);
}

function ofPod(pod: string, deleted: number, { containerEvents, pods, entries }: Simulation): Explanation {
  const ends = containerEvents.filter(
    (event) => event.pod === pod && event.what === 'ended' && event.t >= deleted,
  );
  const gone = pods.find((each) => each.t >= deleted && each.pod === pod && each.what === 'gone');
  const end = entries.at(-1)?.t ?? deleted;
  const last =
    gone === undefined
      ? `It still exists when the run ends, ${clockText(Math.max(0, end - deleted))} later.`
      : `It was gone after ${clockText(gone.t - deleted)}.`;
  return {
    t: deleted,
    text: [`Pod ${pod} was deleted.`, ...ends.map((event) => deletedEnd(event, deleted)), last].join(' '),
  };
}

function deletedEnd({ container, exitCode, reason, t }: SimulatedContainerEvent, deleted: number): string {
  const after = t - deleted;
  const isKilled = exitCode === KILLED && reason !== 'OOMKilled';
  const why = isKilled ? ': the kubelet killed it, because it had not exited within its grace period' : '';
  return `Container ${container} exited with exit code ${exitCode} after ${clockText(after)}${why}.`;
}

/** Exit code after SIGKILL. */
const KILLED = 137;

/** Containers whose last instance ended before the pod's deletion without a successor. */
function forGood(
  pod: string,
  deleted: number | undefined,
  { containerEvents, backOffs }: Simulation,
): Explanation[] {
  const byContainer = groupBy(
    containerEvents.filter((event) => event.pod === pod),
    ({ container }) => container,
  );
  return [...byContainer].flatMap(([container, own]) => {
    const last = own.at(-1);
    if (last?.what !== 'ended' || (deleted !== undefined && last.t >= deleted)) return [];
    const wait = backOffs.findLast(
      (each) => each.pod === pod && each.container === container && each.t >= last.t,
    );
    const why = wait?.waits
      ? `It is in a ${formatDuration(wait.delay * 1000)} back-off, counted from its exit.`
      : 'The kubelet did not restart it.';
    return { t: last.t, text: `${pod}/${container} exited ${endText(last, own)}. ${why}` };
  });
}

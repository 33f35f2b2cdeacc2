import type { Clock } from '../clock/clock.js';
import type { NodeView } from '../kubelet/node/control-plane.js';
import type { ContainerName, EntryOf, PodName } from '../tape/entries.js';
import type { Tape } from '../tape/tape.js';
import { createKubeletTape, type ShownRow } from './kubelet-tape.js';
import { withoutTimes } from './run.js';

/** What happened to the container of a pod. */
export interface ContainerLife extends Pick<EntryOf<'container'>, 'what' | 'exitCode' | 'reason'> {
  /** Name of the pod. */
  readonly pod: string;
  readonly container: ContainerName;
}

/**
 * Writes what a simulation's kubelet, containers and timeline do onto its tape; calls and faults come from the runtime's
 * layers. What would repeat the last row of its pod or view of the node is left out.
 */
export function createRunWriter(tape: Tape, clock: Clock) {
  const podOf = (name: string): PodName => ({ name, namespace: 'default' });
  const kubelet = createKubeletTape({ tape, clock, podOf });
  const lastRows = new Map<string, string>();
  let lastNode = '';
  return {
    ...kubelet,
    row: (row: ShownRow) => {
      const text = `${row.ready} ${row.status} ${row.restarts}`;
      if (lastRows.get(row.pod) === text) return;
      lastRows.set(row.pod, text);
      kubelet.row(row);
    },
    /** The durations in a message grow with every report; that alone is no news. */
    node: (view: NodeView) => {
      const text = `${view.ready} ${view.taint} ${view.evicting} ${withoutTimes(view.message)}`;
      if (text === lastNode) return;
      lastNode = text;
      kubelet.node(view);
    },
    step: (text: string) => {
      if (tape.wants('step')) tape.write({ kind: 'step', text });
    },
    life: ({ pod, ...life }: ContainerLife) => {
      if (tape.wants('container')) tape.write({ kind: 'container', pod: podOf(pod), ...life });
    },
  };
}

/** What a simulation writes while it runs. */
export type RunWriter = ReturnType<typeof createRunWriter>;

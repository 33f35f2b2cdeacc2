import type { Clock } from '../../../base/clock/clock.js';
import { createNodeRecord } from '../../../kubelet/hosts/record.js';
import type { EntryOf, Subject } from '../../../tape/entries.js';
import type { Tape } from '../../../tape/tape.js';
import type { Printed } from './log-tails.js';

/** What happened to the container of a pod. */
export type ContainerEventFacts = Omit<EntryOf<'container'>, 'kind' | 't' | 'node'>;

/**
 * Writes what a simulation's kubelet, containers and timeline do onto its tape; calls and faults come from the runtime's
 * layers.
 */
export function createRunWriter(tape: Tape, clock: Clock) {
  return {
    ...createNodeRecord({ tape, clock }),
    step: (text: string) => {
      if (tape.wants('step')) tape.write({ kind: 'step', text });
    },
    containerEvent: (event: ContainerEventFacts) => {
      if (tape.wants('container')) tape.write({ kind: 'container', ...event });
    },
    printed: (line: Printed & Subject) => {
      if (tape.wants('log')) tape.write({ kind: 'log', from: 'container', ...line });
    },
  };
}

/** What a simulation writes while it runs. */
export type RunWriter = ReturnType<typeof createRunWriter>;

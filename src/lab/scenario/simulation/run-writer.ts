import type { Clock } from '../../../base/clock/clock.js';
import { createNodeRecord } from '../../../kubelet/hosts/record.js';
import type { EntryOf, Subject } from '../../../tape/entries.js';
import type { Tape } from '../../../tape/tape.js';
import type { Printed } from './log-tails.js';

export type ContainerEventFacts = Omit<EntryOf<'container'>, 'kind' | 't' | 'node'>;

/** Writes the activity of kubelet, containers and timeline; the runtime's layers write calls and faults. */
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

export type RunWriter = ReturnType<typeof createRunWriter>;

import type { Clock } from '../base/clock/clock.js';
import { createTape, type ReadableTape, type Tape } from './tape.js';

export interface NodeTapes {
  of(node: string): Tape;
  /** A combined tape of the matching nodes; excludes nodes that come later. Default: all. */
  among(fits?: (node: string) => boolean): ReadableTape;
}

export function createNodeTapes(clock: Clock): NodeTapes {
  const startedAt = clock.now();
  const tapes = new Map<string, Tape>();
  let calls = 0;
  const nextCall = () => ++calls;
  return {
    of: (node) => {
      const tape = tapes.get(node) ?? createTape(clock, { node, startedAt, nextCall });
      tapes.set(node, tape);
      return tape;
    },
    among: (fits = () => true) => ({
      startedAt,
      clock,
      now: () => Number(clock.now() - startedAt),
      listen: (listener) => {
        const stops = [...tapes].flatMap(([node, tape]) => (fits(node) ? [tape.listen(listener)] : []));
        return () => {
          for (const stop of stops) stop();
        };
      },
    }),
  };
}

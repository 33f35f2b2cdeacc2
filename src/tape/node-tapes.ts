import type { Clock } from '../base/clock/clock.js';
import { createTape, type ReadableTape, type Tape } from './tape.js';

/** The tapes of several nodes, which are one: calls are numbered together, and every entry names its node. */
export interface NodeTapes {
  /** What happens on a node is written here; the same tape for the same name. */
  of(node: string): Tape;
  /** The nodes whose names fit, to read as one; nodes that come later are not in it. Default: all. */
  among(fits?: (node: string) => boolean): ReadableTape;
}

/** Tapes that begin now. */
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

import type { FaultInput } from '../../../../runtime/faults/language/rule-schema.js';

/** What a container is guessed to do. */
export interface Guess {
  readonly container: string;
  /** As docs/containers.md writes it, such as `exit=1,after=3s`; undefined when its own command runs. */
  readonly behavior: string | undefined;
  /** In words, for `CONTAINER …`. */
  readonly does: string;
  /** What it is guessed from, in words. */
  readonly from: string;
  /** The field of the pod that it is guessed from. */
  readonly path: readonly (string | number)[];
  /** A rule that makes a call fail as it failed. */
  readonly fault?: FaultInput | undefined;
}

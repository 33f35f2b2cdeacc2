import type { FaultInput } from '../../../../runtime/faults/language/rule-schema.js';

export interface Guess {
  readonly container: string;
  /** In the notation of docs/containers.md, such as `exit=1,after=3s`; undefined to run its own command. */
  readonly behavior: string | undefined;
  /** Completes `CONTAINER …`. */
  readonly does: string;
  readonly from: string;
  readonly path: readonly (string | number)[];
  readonly fault?: FaultInput | undefined;
}

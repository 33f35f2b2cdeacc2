import { FAULT_TRAILER } from '../cri/fault-trailer.js';
import type { EntryOf } from './entries.js';

/** The fault rules that took part in a call, by the trailers of its end. */
export const faultRulesIn = (trailers: EntryOf<'end'>['trailers']): readonly string[] =>
  trailers?.[FAULT_TRAILER] ?? [];

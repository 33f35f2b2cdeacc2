import { FAULT_TRAILER } from '../cri/fault-trailer.js';
import type { EntryOf } from './entries.js';

export const faultRulesIn = (trailers: EntryOf<'end'>['trailers']): readonly string[] =>
  trailers?.[FAULT_TRAILER] ?? [];

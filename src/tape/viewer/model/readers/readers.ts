import type { Line } from '../../../entries.js';
import type { LineOf } from '../timeline.js';

/** Put the entries of some kinds into the picture. */
export type Readers = { readonly [K in Line['kind']]?: (entry: LineOf<K>, line: number) => void };

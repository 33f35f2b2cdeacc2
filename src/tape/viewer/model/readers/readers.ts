import type { Line } from '../../../entries.js';
import type { LineOf } from '../timeline.js';

export type Readers = { readonly [K in Line['kind']]?: (entry: LineOf<K>, line: number) => void };

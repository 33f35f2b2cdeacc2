import type { Recorded } from '../assembly/tape-recorder.js';
import { oneNode } from './problem.js';

/** Selects the nodes to record by pattern. Throws Problem. Undefined where a server is one runtime. */
export type PartOf = ((node: string) => Recorded) | undefined;

/** Returns the requested part; undefined for everything. Throws Problem. */
export function partFor(node: string | undefined, partOf: PartOf): Recorded | undefined {
  if (node === undefined) return undefined;
  if (partOf === undefined) throw oneNode();
  return partOf(node);
}

import type { Recorded } from '../assembly/tape-recorder.js';
import { oneNode } from './problem.js';

/** What to record of the nodes that a pattern names. Throws Problem. Undefined where a server is one runtime. */
export type PartOf = ((node: string) => Recorded) | undefined;

/** The part that a request asks for; undefined for everything. Throws Problem. */
export function partFor(node: string | undefined, partOf: PartOf): Recorded | undefined {
  if (node === undefined) return undefined;
  if (partOf === undefined) throw oneNode();
  return partOf(node);
}

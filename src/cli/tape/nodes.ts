import { compilePattern } from '../../faults/language/pattern.js';
import { entriesOfNodes } from '../../tape/of-nodes.js';
import type { TapeFile } from '../../tape/read.js';

/** The entries that `--node` asks for; all without it. */
export const entriesFor = (tape: TapeFile, node: string | undefined): TapeFile['entries'] =>
  node === undefined ? tape.entries : entriesOfNodes(tape, compilePattern(node));

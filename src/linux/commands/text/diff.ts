import { FileError } from '../../fs/file-error.js';
import type { Process } from '../../process/process.js';
import { allLines, chunksOf } from '../kit/input.js';
import { command, type Tool, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const cmp = command('sl', async (tool) => {
  const [one, other = '-'] = tool.operands;
  if (one === undefined) throw usage('missing operand');
  const [left, right] = [new ByteReader(tool, one), new ByteReader(tool, other)];
  let [at, line] = [0, 1];
  for (;;) {
    const [a, b] = [await left.available(), await right.available()];
    const length = Math.min(a.length, b.length);
    if (length === 0) {
      if (a.length === b.length) return 0;
      if (!tool.has('s')) await tool.complain(`EOF on ${a.length === 0 ? one : other}`);
      return 1;
    }
    const same = commonStart(a.subarray(0, length), b.subarray(0, length));
    for (let next = a.indexOf(10); next >= 0 && next < same; next = a.indexOf(10, next + 1)) line++;
    at += same;
    if (same < length) {
      if (!tool.has('s')) await tool.print(`${one} ${other} differ: char ${at + 1}, line ${line}\n`);
      return 1;
    }
    left.skip(length);
    right.skip(length);
  }
});

function commonStart(a: Buffer, b: Buffer): number {
  if (a.equals(b)) return a.length;
  let at = 0;
  while (a[at] === b[at]) at++;
  return at;
}

class ByteReader {
  readonly #path: string;
  readonly #chunks: AsyncGenerator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);

  constructor(tool: Tool, path: string) {
    this.#path = path;
    this.#chunks = chunksOf(tool, path);
  }

  /** The next bytes; empty at the end. */
  async available(): Promise<Buffer> {
    while (this.#rest.length === 0) {
      const { value, done } = await this.#chunks.next().catch((error: Error) => {
        throw error instanceof FileError ? new ToolError(`${this.#path}: ${error.message}`, 2) : error;
      });
      if (done) break;
      this.#rest = value;
    }
    return this.#rest;
  }

  skip(length: number): void {
    this.#rest = this.#rest.subarray(length);
  }
}

/** Product of the line counts of a comparison: 4,000 by 4,000. */
const MAX_WORK = 16_000_000;
const CONTEXT = 3;
/** Memory of an edit and of a comparison, in bytes. */
const EDIT_COST = 64;
const CELL_COST = 4;

const diff = command('uqbiwaBNrsU:L:', async (tool) => {
  const [one, other] = tool.operands;
  if (one === undefined || other === undefined) throw usage('needs two files');
  for (const path of [one, other]) {
    if (path === '-' || tool.has('N')) continue;
    await tool.process.fs.stat(path).catch((error: Error) => {
      throw new ToolError(`can't stat '${path}': ${error.message}`, 2);
    });
  }
  const [left, right] = [await allLines(tool, one), await allLines(tool, other)];
  const edits = await editsOf(tool.process, left, right);
  if (edits.every(({ kind }) => kind === ' ')) return 0;
  if (tool.has('q')) await tool.print(`Files ${one} and ${other} differ\n`);
  else await tool.printBytes(`--- ${one}\n+++ ${other}\n${hunksOf(edits).join('')}`);
  return 1;
});

interface Edit {
  readonly kind: ' ' | '-' | '+';
  readonly line: string;
}

/** The shortest edits: a longest common subsequence, between the common beginning and end. */
async function editsOf(process: Process, left: readonly string[], right: readonly string[]): Promise<Edit[]> {
  let head = 0;
  while (head < left.length && head < right.length && left[head] === right[head]) head++;
  let tail = 0;
  while (tail < Math.min(left.length, right.length) - head && left.at(-1 - tail) === right.at(-1 - tail))
    tail++;
  const a = left.slice(head, left.length - tail);
  const b = right.slice(head, right.length - tail);
  if (a.length * b.length > MAX_WORK) throw new ToolError('files differ too much to compare them', 2);
  const same = (line: string): Edit => ({ kind: ' ', line });
  process.allocate(EDIT_COST * (left.length + right.length) + CELL_COST * (a.length + 1) * (b.length + 1));
  const changed = await middle(process, a, b);
  return left
    .slice(0, head)
    .map(same)
    .concat(changed, left.slice(left.length - tail).map(same));
}

async function middle(process: Process, a: readonly string[], b: readonly string[]): Promise<Edit[]> {
  const width = b.length + 1;
  const lengths = new Uint32Array((a.length + 1) * width);
  const at = (row: number, column: number): number => lengths[row * width + column] ?? 0;
  for (let row = a.length - 1; row >= 0; row--) {
    await process.work(b.length);
    for (let column = b.length - 1; column >= 0; column--) {
      lengths[row * width + column] =
        a[row] === b[column]
          ? at(row + 1, column + 1) + 1
          : Math.max(at(row + 1, column), at(row, column + 1));
    }
  }
  const edits: Edit[] = [];
  let [row, column] = [0, 0];
  while (row < a.length || column < b.length) {
    const [old, fresh] = [a[row], b[column]];
    if (old !== undefined && old === fresh) {
      edits.push({ kind: ' ', line: old });
      row++;
      column++;
    } else if (old !== undefined && (fresh === undefined || at(row + 1, column) >= at(row, column + 1))) {
      edits.push({ kind: '-', line: old });
      row++;
    } else {
      edits.push({ kind: '+', line: fresh as string });
      column++;
    }
  }
  return edits;
}

/** Changes with three lines around them; adjacent ones share one hunk. */
function hunksOf(edits: readonly Edit[]): string[] {
  const changed = edits.flatMap(({ kind }, index) => (kind === ' ' ? [] : [index]));
  const groups: [number, number][] = [];
  for (const index of changed) {
    const last = groups.at(-1);
    if (last && index - last[1] <= 2 * CONTEXT) last[1] = index;
    else groups.push([index, index]);
  }
  return groups.map(([first, last]) => {
    const from = Math.max(0, first - CONTEXT);
    const part = edits.slice(from, last + CONTEXT + 1);
    const before = edits.slice(0, from);
    const range = (skipped: Edit['kind']) => {
      const count = part.filter(({ kind }) => kind !== skipped).length;
      const start = before.filter(({ kind }) => kind !== skipped).length + (count === 0 ? 0 : 1);
      return count === 1 ? `${start}` : `${start},${count}`;
    };
    const body = part.map(
      ({ kind, line }) => `${kind}${line}${line.endsWith('\n') ? '' : '\n\\ No newline at end of file\n'}`,
    );
    return `@@ -${range('+')} +${range('-')} @@\n${body.join('')}`;
  });
}

export const diffCommands: CommandTable = { cmp, diff };

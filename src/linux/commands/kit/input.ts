import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import type { OpenFile } from '../../fs/file-system.js';
import { eachOperand, type Tool, ToolError } from './tool.js';

const CHUNK = 64 * 1024;

/** Yields the bytes of a file, or of standard input for `-`, as they arrive; flushes earlier output first. */
export async function* chunksOf(tool: Tool, path: string): AsyncGenerator<Buffer> {
  const { stdin, fs } = tool.process;
  if (path === '-') {
    await tool.flush();
    for (let chunk = await stdin.read(); chunk !== null; chunk = await stdin.read()) {
      yield chunk;
      await tool.flush();
    }
    return;
  }
  yield* chunksOfFile(await fs.open(path, 'r'));
}

export async function* chunksOfFile(file: OpenFile): AsyncGenerator<Buffer> {
  try {
    for (let chunk = await file.read(CHUNK); chunk.length > 0; chunk = await file.read(CHUNK)) yield chunk;
  } finally {
    await file.close();
  }
}

/** Memory of a line in addition to its bytes: strings and arrays have headers. */
const LINE_COST = 96;
/** Lines that a command handles before it lets other tasks run. */
const LINES_AT_ONCE = 1024;

/** Yields lines of bytes with their newlines, in batches as they arrive, in linear time. */
export async function* linesOf(tool: Tool, path: string): AsyncGenerator<readonly string[]> {
  let begun: string[] = [];
  let size = 0;
  for await (const chunk of chunksOf(tool, path)) {
    const text = chunk.toString('latin1');
    const end = text.lastIndexOf('\n') + 1;
    if (end > 0) {
      const lines = splitLines(begun.join('') + text.slice(0, end));
      tool.process.allocate(-size);
      begun = [];
      size = 0;
      for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
        yield lines.slice(at, at + LINES_AT_ONCE);
        await tool.process.work(0);
      }
    }
    if (end === text.length) continue;
    const cost = LINE_COST + 2 * (text.length - end);
    tool.process.allocate(cost);
    size += cost;
    begun.push(text.slice(end));
  }
  if (begun.length > 0) yield [begun.join('')];
}

/** A longer line is not split into fields: it has so many that they would block others. */
const LONGEST_SPLIT = 256 * 1024;

export function demandFields(line: string): string {
  if (line.length <= LONGEST_SPLIT) return line;
  throw new ToolError(`line too long for fields: ${line.length} bytes, ${LONGEST_SPLIT} are allowed`);
}

/** Lines with their newlines; the last may have none. */
export function splitLines(text: string): string[] {
  const lines: string[] = [];
  for (let start = 0; start < text.length; ) {
    const end = text.indexOf('\n', start) + 1 || text.length;
    lines.push(text.slice(start, end));
    start = end;
  }
  return lines;
}

/** All lines of a file or of standard input, with their newlines. Allocates them for the process until it ends. */
export async function allLines(tool: Tool, path: string): Promise<string[]> {
  const all: string[] = [];
  for await (const lines of linesOf(tool, path)) {
    let size = 0;
    for (const line of lines) {
      all.push(line);
      size += line.length + LINE_COST;
    }
    tool.process.allocate(size);
  }
  return all;
}

/** The lines of a file or of standard input, one by one, without their newlines. */
export async function* bareLinesOf(tool: Tool, path: string): AsyncGenerator<string> {
  for await (const lines of linesOf(tool, path)) for (const line of lines) yield line.replace(/\n$/, '');
}

/** Memory of a byte: in a growing buffer, and as a character. */
export const BYTE_COST = 3;

/** All of a file or of standard input, each character a byte. Allocates it for the process until that ends. */
export async function allBytes(tool: Tool, path: string): Promise<string> {
  const bytes = new GrowingBuffer();
  for await (const chunk of chunksOf(tool, path)) {
    tool.process.allocate(BYTE_COST * chunk.length);
    bytes.append(chunk);
  }
  return bytes.bytes().toString('latin1');
}

/** Text as bytes, each a character: the form of patterns and words that are compared with input. */
export const bytesOf = (text: string): string => Buffer.from(text).toString('latin1');

export async function eachInput(
  tool: Tool,
  paths: readonly string[],
  step: (path: string) => Promise<void>,
  tell?: (path: string, problem: string) => string,
): Promise<void> {
  await eachOperand(tool, paths.length === 0 ? ['-'] : paths, step, tell);
}

/** The message of most busybox commands for a file that can't be read. */
export const cantOpen = (path: string, problem: string): string => `can't open '${path}': ${problem}`;

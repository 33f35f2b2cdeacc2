import type { OpenFile } from '../../fs/file-system.js';
import { costOfText } from '../../process/memory.js';
import { allBytes, cantOpen, chunksOf, eachInput, linesOf } from '../kit/input.js';
import { command, eachOperand, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const cat = command({ letters: 'unbvteA', long: {} }, async (tool) => {
  const isNumbering = tool.has('n') || tool.has('b');
  let number = 0;
  const show = async (path: string): Promise<void> => {
    if (!isNumbering) {
      for await (const chunk of chunksOf(tool, path)) await tool.process.stdout.write(chunk);
      return;
    }
    for await (const lines of linesOf(tool, path)) {
      for (const line of lines) {
        const isCounted = tool.has('n') || line !== '\n';
        const whole = line.endsWith('\n') ? line : `${line}\n`;
        await tool.printBytes(isCounted ? `${String(++number).padStart(6)}\t${whole}` : whole);
      }
    }
  };
  await eachInput(tool, tool.operands, show, (path, problem) =>
    problem === 'Is a directory' ? `read error: ${problem}` : cantOpen(path, problem),
  );
});

/** A count with busybox's suffixes. */
export function countOf(text: string): number {
  const match = /^[-+]?(\d+)([bkmMG]?)$/.exec(text);
  const factor = { b: 512, k: 1024, m: 1024 ** 2, M: 1024 ** 2, G: 1024 ** 3 }[match?.[2] ?? ''] ?? 1;
  if (!match) throw new ToolError(`invalid number '${text}'`);
  return Number(match[1]) * factor;
}

/** `head -5` and `tail -5` mean `-n 5`. */
const rewrite = (word: string, index: number, words: readonly string[]): string =>
  /^-\d+$/.test(word) && !/^-[nc]$/.test(words[index - 1] ?? '') ? `-n${word.slice(1)}` : word;

/** `==> file <==` before each of several files. */
function titles(tool: Tool, files: readonly string[]): (path: string) => Promise<void> {
  const isShown = (files.length > 1 && !tool.has('q')) || tool.has('v');
  return async (path) => {
    const gap = path === files[0] ? '' : '\n';
    if (isShown) await tool.print(`${gap}==> ${path === '-' ? 'standard input' : path} <==\n`);
  };
}

const head = command({ letters: 'n:c:qv', rewrite }, async (tool) => {
  const text = tool.options.value('c') ?? tool.options.value('n') ?? '10';
  const count = countOf(text);
  const title = titles(tool, tool.operands);
  await eachInput(tool, tool.operands, async (path) => {
    if (text.startsWith('-')) {
      const kept = await allBytes(tool, path);
      await title(path);
      await printPieces(tool, kept.slice(0, await endStart(tool, kept, count, tool.has('c'))));
    } else if (tool.has('c')) await headBytes(tool, path, count, title);
    else await headLines(tool, path, count, title);
  });
});

async function headBytes(tool: Tool, path: string, count: number, title: (path: string) => Promise<void>) {
  let left = count;
  let isTitled = false;
  for await (const chunk of chunksOf(tool, path)) {
    if (!isTitled) await title(path);
    isTitled = true;
    await tool.print(chunk.subarray(0, left));
    left -= chunk.length;
    if (left <= 0) break;
  }
  if (!isTitled) await title(path);
}

async function headLines(tool: Tool, path: string, count: number, title: (path: string) => Promise<void>) {
  let left = count;
  let isTitled = false;
  for await (const lines of linesOf(tool, path)) {
    if (!isTitled) await title(path);
    isTitled = true;
    await tool.printBytes(lines.slice(0, left).join(''));
    left -= lines.length;
    if (left <= 0) break;
  }
  if (!isTitled) await title(path);
}

/** Bytes that it prints before it lets other tasks run. */
const PIECE = 64 * 1024;

async function printPieces(tool: Tool, bytes: string): Promise<void> {
  for (let at = 0; at < bytes.length; at += PIECE) await tool.printBytes(bytes.slice(at, at + PIECE));
}

/** Lines that it counts before it lets other tasks run. */
const LINES_AT_ONCE = 4096;

/** The start of the last lines or bytes. */
async function endStart({ process }: Tool, bytes: string, count: number, areBytes: boolean): Promise<number> {
  if (areBytes) return Math.max(0, bytes.length - count);
  // The final newline begins no line.
  let at = bytes.length;
  for (let left = count; left > 0 && at > 0; left--) {
    at = at < 2 ? 0 : bytes.lastIndexOf('\n', at - 2) + 1;
    if (left % LINES_AT_ONCE === 0) await process.work(0);
  }
  return at;
}

/** The start of the line or byte with this number, counted from 1. */
async function placeOf({ process }: Tool, bytes: string, number: number, areBytes: boolean): Promise<number> {
  if (areBytes) return Math.max(0, number - 1);
  let at = 0;
  for (let left = number - 1; left > 0 && at < bytes.length; left--) {
    at = bytes.indexOf('\n', at) + 1 || bytes.length;
    if (left % LINES_AT_ONCE === 0) await process.work(0);
  }
  return at;
}

const tail = command({ letters: 'n:c:fFs:qv', rewrite }, async (tool) => {
  const ends: { path: string; end: string; position: number }[] = [];
  const read = async (path: string) => {
    ends.push({ path, ...(await endOf(tool, path)) });
  };
  await eachInput(tool, tool.operands, read, cantOpen);
  if (ends.length === 0) throw new ToolError('no files');
  const title = titles(
    tool,
    ends.map(({ path }) => path),
  );
  for (const { path, end } of ends) {
    await title(path);
    await printPieces(tool, end);
  }
  if (!tool.has('f') && !tool.has('F')) return;
  await tool.flush();
  await follow(
    tool,
    ends.filter(({ path }) => path !== '-').map(({ path, position }) => ({ path, position })),
  );
});

/** The last lines or bytes of a file, and its length. Drops chunks that can't be part of them. */
async function endOf(tool: Tool, path: string): Promise<{ end: string; position: number }> {
  const text = tool.options.value('c') ?? tool.options.value('n') ?? '10';
  const count = countOf(text);
  const areBytes = tool.has('c');
  const fromStart = text.startsWith('+');
  const kept: { bytes: string; units: number }[] = [];
  let [units, position] = [0, 0];
  for await (const chunk of chunksOf(tool, path)) {
    const bytes = chunk.toString('latin1');
    const own = areBytes ? bytes.length : newlinesIn(bytes);
    position += bytes.length;
    tool.process.allocate(costOfText(bytes));
    kept.push({ bytes, units: own });
    units += own;
    // One line more, as the last may have no newline.
    for (let first = kept[0]; !fromStart && first && units - first.units > count; first = kept[0]) {
      units -= first.units;
      tool.process.allocate(-costOfText(first.bytes));
      kept.shift();
    }
  }
  const bytes = kept.map((part) => part.bytes).join('');
  if (!fromStart && units < count) return { end: bytes, position };
  const find = fromStart ? placeOf : endStart;
  const start = await find(tool, bytes, count, areBytes);
  return { end: bytes.slice(start), position };
}

function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count++;
  return count;
}

/** In ms: checking also takes time. */
const LEAST_PERIOD = 10;

/** Checks for more every second (`-s`); reads a file that became shorter from its beginning. */
async function follow(tool: Tool, files: { path: string; position: number }[]): Promise<void> {
  const period = Math.max(LEAST_PERIOD, Number(tool.options.value('s') ?? 1) * 1000 || 0);
  while (files.length > 0) {
    await tool.process.sleep(period);
    for (const file of files) {
      const open = await tool.process.fs.open(file.path, 'r').catch(() => undefined);
      if (open) file.position = await copyRest(tool, open, file.position);
    }
    await tool.flush();
  }
}

async function copyRest(tool: Tool, file: OpenFile, position: number): Promise<number> {
  try {
    let at = (await file.stat()).size < position ? 0 : position;
    for (let chunk = await file.read(65_536, at); chunk.length > 0; chunk = await file.read(65_536, at)) {
      await tool.print(chunk);
      at += chunk.length;
    }
    return at;
  } finally {
    await file.close();
  }
}

const tee = command('ai', async (tool) => {
  const files: OpenFile[] = [];
  if (tool.has('i')) tool.process.onSignal('INT', 'ignore');
  try {
    await eachOperand(tool, tool.operands, async (path) => {
      files.push(await tool.process.fs.open(path, tool.has('a') ? 'a' : 'w'));
    });
    for await (const chunk of chunksOf(tool, '-')) {
      await tool.print(chunk);
      for (const file of files) await file.write(chunk);
    }
  } finally {
    for (const file of files) await file.close();
  }
});

const yes = command({ isRaw: true }, async (tool) => {
  const line = `${tool.args.length === 0 ? 'y' : tool.args.join(' ')}\n`;
  const block = Buffer.from(line.repeat(Math.max(1, Math.floor(65_536 / Buffer.byteLength(line)))));
  for (;;) await tool.process.stdout.write(block);
});

export const streamCommands: CommandTable = { cat, head, tail, tee, yes };

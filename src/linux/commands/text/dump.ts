import { allBytes, chunksOf, eachInput } from '../kit/input.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const WRAP = 76;

const base64 = command({ letters: 'dw:', long: { decode: 'd', wrap: 'w' } }, async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    if (tool.has('d')) {
      const bytes = await allBytes(tool, path);
      if (/[^A-Za-z0-9+/=\s]/.test(bytes)) throw new ToolError('invalid input');
      await tool.print(Buffer.from(bytes, 'base64'));
      return;
    }
    const width = Number(tool.options.value('w') ?? WRAP);
    let line = '';
    // Three bytes are four characters: pieces of whole threes can be put one after the other.
    for await (const piece of rowsOf(tool, path, 3 * 4096)) {
      const text = line + piece.toString('base64');
      const whole = width > 0 ? text.length - (text.length % width) : 0;
      for (let at = 0; at < whole; at += width) await tool.print(`${text.slice(at, at + width)}\n`);
      line = text.slice(whole);
      if (width > 0) continue;
      await tool.print(line);
      line = '';
    }
    if (line !== '') await tool.print(`${line}\n`);
  });
});

/** What is read, cut into rows of `width` bytes; the last may be shorter. `skip` and `count` are in bytes. */
async function* rowsOf(
  tool: Tool,
  path: string,
  width: number,
  { skip = 0, count = Number.POSITIVE_INFINITY }: { skip?: number; count?: number } = {},
): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let [unwanted, left] = [skip, count];
  if (left <= 0) return;
  for await (const chunk of chunksOf(tool, path)) {
    const start = Math.min(unwanted, chunk.length);
    unwanted -= start;
    const part = chunk.subarray(start, start + left);
    left -= part.length;
    rest = rest.length === 0 ? part : Buffer.concat([rest, part]);
    const whole = rest.length - (rest.length % width);
    for (let at = 0; at < whole; at += width) yield rest.subarray(at, at + width);
    rest = rest.subarray(whole);
    if (left <= 0) break;
  }
  if (rest.length > 0) yield rest;
}

/** As many as xxd allows. */
const MAX_COLUMNS = 256;

const printable = (bytes: Buffer): string => bytes.toString('latin1').replace(/[^\x20-\x7e]/g, '.');

/** A number of bytes or columns, at least `least`. */
function numberOf(tool: Tool, flag: string, fallback: number, least: number): number {
  const value = Number(tool.options.value(flag) ?? fallback);
  if (!(value >= least)) throw new ToolError(`invalid number '${tool.options.value(flag)}'`);
  return value;
}

const xxd = command('pl:c:s:r', async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    if (tool.has('r')) {
      const all = await allBytes(tool, path);
      return tool.print(Buffer.from(tool.has('p') ? all.replace(/\s/g, '') : plainOf(all), 'hex'));
    }
    const skip = numberOf(tool, 's', 0, 0);
    const count = numberOf(tool, 'l', Number.POSITIVE_INFINITY, 0);
    const width = Math.min(numberOf(tool, 'c', tool.has('p') ? 30 : 16, 1), MAX_COLUMNS);
    let address = skip;
    for await (const row of rowsOf(tool, path, width, { skip, count })) {
      await tool.print(tool.has('p') ? `${row.toString('hex')}\n` : xxdRow(address, row, width));
      address += row.length;
    }
  });
});

function xxdRow(address: number, row: Buffer, width: number): string {
  const pairs = (row.toString('hex').match(/.{1,4}/g) ?? []).join(' ');
  return `${address.toString(16).padStart(8, '0')}: ${pairs.padEnd(width * 2 + width / 2)} ${printable(row)}\n`;
}

/** The hex digits of a dump, without addresses and text. */
const plainOf = (dump: string): string =>
  dump
    .split('\n')
    .map((line) =>
      line
        .replace(/^[^:]*: /, '')
        .replace(/ {2}.*$/, '')
        .replace(/ /g, ''),
    )
    .join('');

const hexdump = command('Cvn:s:', async (tool) => {
  await eachInput(tool, tool.operands, async (path) => {
    const show = tool.has('C') ? canonicalRow : wordsRow;
    let address = 0;
    for await (const row of rowsOf(tool, path, 16, {
      count: numberOf(tool, 'n', Number.POSITIVE_INFINITY, 0),
    })) {
      await tool.print(show(address, row));
      address += row.length;
    }
    await tool.print(`${address.toString(16).padStart(tool.has('C') ? 8 : 7, '0')}\n`);
  });
});

/** hexdump -C: bytes one by one, and as text. */
function canonicalRow(address: number, row: Buffer): string {
  const pairs = row.toString('hex').match(/../g) ?? [];
  const halves = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(48);
  return `${address.toString(16).padStart(8, '0')}  ${halves}  |${printable(row)}|\n`;
}

/** hexdump: two bytes a word, the lower one first. */
function wordsRow(address: number, row: Buffer): string {
  const words = (row.toString('hex').match(/.{1,4}/g) ?? []).map((word) =>
    (word.slice(2) + word.slice(0, 2)).padStart(4, '0'),
  );
  return `${address.toString(16).padStart(7, '0')} ${words.join(' ').padEnd(39)}\n`;
}

/** Commands that show bytes as text. */
export const dumpCommands: CommandTable = { base64, hd: hexdump, hexdump, xxd };

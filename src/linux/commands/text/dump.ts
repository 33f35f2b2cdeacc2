import { allBytes, eachInput } from '../kit/input.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const WRAP = 76;

const base64 = command({ letters: 'dw:', long: { decode: 'd', wrap: 'w' } }, async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    const bytes = await allBytes(tool, path);
    if (tool.has('d')) {
      if (/[^A-Za-z0-9+/=\s]/.test(bytes)) throw new ToolError('invalid input');
      await tool.print(Buffer.from(bytes, 'base64'));
      return;
    }
    const width = Number(tool.options.value('w') ?? WRAP);
    const text = Buffer.from(bytes, 'latin1').toString('base64');
    const lines = width > 0 ? (text.match(new RegExp(`.{1,${width}}`, 'g')) ?? []) : [text];
    await tool.print(width > 0 ? lines.map((line) => `${line}\n`).join('') : text);
  });
});

const printable = (bytes: string): string => bytes.replace(/[^\x20-\x7e]/g, '.');
const hexOf = (bytes: string): string => Buffer.from(bytes, 'latin1').toString('hex');
const rowsOf = (bytes: string, width: number): string[] =>
  bytes.match(new RegExp(`[\\s\\S]{1,${width}}`, 'g')) ?? [];

const xxd = command('pl:c:s:r', async (tool) => {
  await eachInput(tool, tool.operands.slice(0, 1), async (path) => {
    const all = await allBytes(tool, path);
    if (tool.has('r'))
      return tool.print(Buffer.from(tool.has('p') ? all.replace(/\s/g, '') : plainOf(all), 'hex'));
    const start = Number(tool.options.value('s') ?? 0);
    const bytes = all.slice(start, tool.has('l') ? start + Number(tool.options.value('l')) : undefined);
    const width = Number(tool.options.value('c') ?? (tool.has('p') ? 30 : 16));
    for (const [index, row] of rowsOf(bytes, width).entries())
      await tool.print(tool.has('p') ? `${hexOf(row)}\n` : xxdRow(start + index * width, row, width));
  });
});

function xxdRow(address: number, row: string, width: number): string {
  const pairs = (hexOf(row).match(/.{1,4}/g) ?? []).join(' ');
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
    const bytes = (await allBytes(tool, path)).slice(
      0,
      Number(tool.options.value('n') ?? Number.POSITIVE_INFINITY),
    );
    const show = tool.has('C') ? canonicalRow : wordsRow;
    for (const [index, row] of rowsOf(bytes, 16).entries()) await tool.print(show(index * 16, row));
    await tool.print(`${bytes.length.toString(16).padStart(tool.has('C') ? 8 : 7, '0')}\n`);
  });
});

/** hexdump -C: bytes one by one, and as text. */
function canonicalRow(address: number, row: string): string {
  const pairs = hexOf(row).match(/../g) ?? [];
  const halves = `${pairs.slice(0, 8).join(' ')}  ${pairs.slice(8).join(' ')}`.padEnd(48);
  return `${address.toString(16).padStart(8, '0')}  ${halves}  |${printable(row)}|\n`;
}

/** hexdump: two bytes a word, the lower one first. */
function wordsRow(address: number, row: string): string {
  const words = (hexOf(row).match(/.{1,4}/g) ?? []).map((word) =>
    (word.slice(2) + word.slice(0, 2)).padStart(4, '0'),
  );
  return `${address.toString(16).padStart(7, '0')} ${words.join(' ').padEnd(39)}\n`;
}

/** Commands that show bytes as text. */
export const dumpCommands: CommandTable = { base64, hd: hexdump, hexdump, xxd };

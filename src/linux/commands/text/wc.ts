import { chunksOf, eachInput } from '../kit/input.js';
import { command, type Tool } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

type Counts = Record<'l' | 'w' | 'c' | 'L', number>;

const LETTERS = ['l', 'w', 'c', 'L'] as const;
const USUAL = ['l', 'w', 'c'] as const;
const NEWLINE = 10;

const wc = command('clwmL', async (tool) => {
  const asked = LETTERS.filter((letter) => tool.has(letter) || (letter === 'c' && tool.has('m')));
  const shown = asked.length > 0 ? asked : USUAL;
  // A single number needs no columns.
  const width = shown.length === 1 && tool.operands.length < 2 ? 0 : 9;
  const row = (counts: Counts, name: string) => {
    const numbers = shown.map((letter) => String(counts[letter]).padStart(width)).join(' ');
    return `${numbers}${name === '-' && tool.operands.length === 0 ? '' : ` ${name}`}\n`;
  };
  let total: Counts = { l: 0, w: 0, c: 0, L: 0 };
  await eachInput(tool, tool.operands, async (path) => {
    const counts = await countsOf(tool, path);
    total = {
      l: total.l + counts.l,
      w: total.w + counts.w,
      c: total.c + counts.c,
      L: Math.max(total.L, counts.L),
    };
    await tool.print(row(counts, path));
  });
  if (tool.operands.length > 1) await tool.print(row(total, 'total'));
});

async function countsOf(tool: Tool, path: string): Promise<Counts> {
  const counts: Counts = { l: 0, w: 0, c: 0, L: 0 };
  let isInWord = false;
  let length = 0;
  for await (const chunk of chunksOf(tool, path)) {
    counts.c += chunk.length;
    for (const byte of chunk) {
      if (!isBlank(byte) && !isInWord) counts.w++;
      isInWord = !isBlank(byte);
      if (byte === NEWLINE) counts.l++;
      length = byte === NEWLINE ? 0 : length + 1;
      counts.L = Math.max(counts.L, length);
    }
  }
  return counts;
}

/** isspace(3): a space, or tab to carriage return. */
const isBlank = (byte: number): boolean => byte === 32 || (byte >= 9 && byte <= 13);

export const wcCommands: CommandTable = { wc };

import { command, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

const seq = command({ isRaw: true }, async (tool) => {
  const words = [...tool.args];
  let separator = '\n';
  let isPadded = false;
  while (/^-[sw]/.test(words[0] ?? '')) {
    const word = words.shift() as string;
    if (word === '-w') isPadded = true;
    else separator = word.length > 2 ? word.slice(2) : (words.shift() ?? '\n');
  }
  if (
    words.length < 1 ||
    words.length > 3 ||
    words.some((word) => word.trim() === '' || Number.isNaN(Number(word)))
  ) {
    throw usage('needs [FIRST [INCREMENT]] LAST, all numbers');
  }
  const [first, step, last] =
    words.length === 1 ? ['1', '1', words[0]] : words.length === 2 ? [words[0], '1', words[1]] : words;
  const digits = Math.max(...[first, step].map((word) => (word ?? '').split('.')[1]?.length ?? 0));
  const format = (value: number) => value.toFixed(digits);
  const [start, increment, end] = [Number(first), Number(step), Number(last)];
  const width = isPadded ? Math.max(format(start).length, format(end).length) : 0;
  const count =
    increment === 0
      ? start <= end
        ? Number.POSITIVE_INFINITY
        : 0
      : Math.floor((end - start) / increment + 1e-9) + 1;
  for (let index = 0; index < count; index++) {
    const text = format(start + index * increment);
    const sign = text.startsWith('-') ? '-' : '';
    const padded = sign + text.slice(sign.length).padStart(width - sign.length, '0');
    await tool.print(index === 0 ? padded : separator + padded);
  }
  if (count > 0) await tool.print('\n');
});

export const seqCommands: CommandTable = { seq };

import { bareLinesOf, bytesOf, eachInput } from '../kit/input.js';
import { command, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** `1,3-5,7-`: pairs of first and last, counted from 1. */
function rangesOf(text: string): readonly (readonly [number, number])[] {
  return text.split(',').map((part) => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (!match || part === '' || part === '-') throw new ToolError(`invalid range '${part}'`);
    const [, from = '', dash = '', to = ''] = match;
    const first = from === '' ? 1 : Number(from);
    return [first, dash === '' ? first : to === '' ? Number.POSITIVE_INFINITY : Number(to)] as const;
  });
}

const cut = command('b:c:f:d:sn', async (tool) => {
  const list = tool.options.value('b') ?? tool.options.value('c') ?? tool.options.value('f');
  if (list === undefined) throw usage('expected a list of bytes, characters, or fields');
  const ranges = rangesOf(list);
  const isChosen = (_: string, index: number) =>
    ranges.some(([from, to]) => index + 1 >= from && index + 1 <= to);
  const delimiter = bytesOf(tool.options.value('d') ?? '\t');
  const pick = (line: string): string | undefined => {
    if (!tool.has('f')) return [...line].filter(isChosen).join('');
    if (!line.includes(delimiter)) return tool.has('s') ? undefined : line;
    return line.split(delimiter).filter(isChosen).join(delimiter);
  };
  await eachInput(tool, tool.operands, async (path) => {
    for await (const line of bareLinesOf(tool, path)) {
      const picked = pick(line);
      if (picked !== undefined) await tool.printBytes(`${picked}\n`);
    }
  });
});

/** busybox's cut. */
export const cutCommands: CommandTable = { cut };

import { bareLinesOf, bytesOf, demandFields, eachInput } from '../kit/input.js';
import { command, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

/** `1,3-5,7-`: starts and ends of the parts, counted from 0, in order without overlaps. */
function rangesOf(text: string): readonly (readonly [start: number, end: number])[] {
  const ranges = text.split(',').map((part) => {
    const match = /^(\d*)(-?)(\d*)$/.exec(part);
    if (!match || part === '' || part === '-') throw new ToolError(`invalid range '${part}'`);
    const [, from = '', dash = '', to = ''] = match;
    const first = from === '' ? 1 : Number(from);
    const last = dash === '' ? first : to === '' ? Number.POSITIVE_INFINITY : Number(to);
    return [first - 1, last] as const;
  });
  let done = 0;
  return ranges
    .toSorted(([one], [other]) => one - other)
    .map(([first, end]) => {
      const start = Math.max(first, done);
      done = Math.max(done, end);
      return [start, end] as const;
    })
    .filter(([start, end]) => start < end);
}

/** Cost of a range in a line, in bytes of work. */
const RANGE_COST = 64;

const cut = command('b:c:f:d:sn', async (tool) => {
  const list = tool.options.value('b') ?? tool.options.value('c') ?? tool.options.value('f');
  if (list === undefined) throw usage('expected a list of bytes, characters, or fields');
  const ranges = rangesOf(list);
  const delimiter = bytesOf(tool.options.value('d') ?? '\t');
  const pick = (line: string): string | undefined => {
    if (!tool.has('f')) return ranges.map(([start, end]) => line.slice(start, end)).join('');
    if (!line.includes(delimiter)) return tool.has('s') ? undefined : line;
    const fields = demandFields(line).split(delimiter);
    return ranges.flatMap(([start, end]) => fields.slice(start, end)).join(delimiter);
  };
  await eachInput(tool, tool.operands, async (path) => {
    for await (const line of bareLinesOf(tool, path)) {
      await tool.process.work(RANGE_COST * ranges.length);
      const picked = pick(line);
      if (picked !== undefined) await tool.printBytes(`${picked}\n`);
    }
  });
});

export const cutCommands: CommandTable = { cut };

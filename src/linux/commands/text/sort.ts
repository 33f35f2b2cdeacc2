import { RUN, sorted } from '../../process/sorted.js';
import { allLines, cantOpen, demandFields, eachInput, linesOf } from '../kit/input.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';

interface Key {
  readonly from: number;
  readonly fromChar: number;
  readonly to: number | undefined;
  readonly toChar: number;
  readonly flags: string;
}

const sort = command('nrufgbdiMhk:t:o:sczmTSV', async (tool) => {
  const lines: string[] = [];
  await eachInput(tool, tool.operands, async (path) => {
    for (const line of await allLines(tool, path)) lines.push(line.endsWith('\n') ? line.slice(0, -1) : line);
  });
  if (tool.code !== 0) return 2;
  const keys = tool.options.values('k').map(parseKey);
  const flags = [...'nrfgbdhV'].filter((flag) => tool.has(flag)).join('');
  const compare = comparison(keys, flags, tool.options.value('t'));
  const run = lines.some((line) => line.length > LONG_LINE) ? 1 : RUN;
  if (tool.has('c')) {
    const [, wrong = -1] = await pairsWhere(tool, lines, run, (one, other) => compare(one, other) > 0);
    if (wrong >= 0)
      await tool.process.stderr.write(
        Buffer.from(`Check line ${wrong}
`),
      );
    return wrong >= 0 ? 1 : 0;
  }
  const ordered = await sorted(
    tool.process,
    lines,
    (one, other) =>
      compare(one, other) || (tool.has('s') || tool.has('u') ? 0 : lastResort(one, other, flags)),
    run,
  );
  if (!tool.has('u')) await put(tool, ordered);
  else {
    const kept = await pairsWhere(tool, ordered, run, (one, other) => compare(one, other) !== 0);
    await put(
      tool,
      kept.flatMap((index) => ordered[index] ?? []),
    );
  }
  return 0;
});

/** Comparing such lines takes a long time. */
const LONG_LINE = 4096;

/** Returns 0 and the indices of lines that differ from the one before. Lets other tasks run after each `run` lines. */
async function pairsWhere(
  { process }: Tool,
  lines: readonly string[],
  run: number,
  differ: (one: string, other: string) => boolean,
): Promise<number[]> {
  const found = [0];
  for (let index = 1; index < lines.length; index++) {
    if (differ(lines[index - 1] as string, lines[index] as string)) found.push(index);
    if (index % run === 0) await process.work(0);
  }
  return found;
}

async function put(tool: Tool, lines: readonly string[]): Promise<void> {
  const path = tool.options.value('o');
  if (path === undefined) for (const line of lines) await tool.printBytes(`${line}\n`);
  else await writeLines(tool, path, lines);
}

const LINES_AT_ONCE = 1024;

async function writeLines(tool: Tool, path: string, lines: readonly string[]): Promise<void> {
  const file = await tool.process.fs.open(path, 'w');
  try {
    for (let at = 0; at < lines.length; at += LINES_AT_ONCE) {
      const text = lines.slice(at, at + LINES_AT_ONCE).map((line) => `${line}\n`);
      await file.write(Buffer.from(text.join(''), 'latin1'));
    }
  } finally {
    await file.close();
  }
}

/** `2.3,4nr`: from the third byte of the second field to the fourth field, by number, in reverse. */
function parseKey(text: string): Key {
  const match = /^(\d+)(?:\.(\d+))?([a-zA-Z]*)(?:,(\d+)(?:\.(\d+))?([a-zA-Z]*))?$/.exec(text);
  if (!match) throw new ToolError('bad field specification', 2);
  const [, from, fromChar, flags = '', to, toChar, more = ''] = match;
  return {
    from: Number(from),
    fromChar: Number(fromChar ?? 1),
    to: to === undefined ? undefined : Number(to),
    toChar: Number(toChar ?? 0),
    flags: flags + more,
  };
}

type Compare = (one: string, other: string) => number;

function comparison(keys: readonly Key[], flags: string, separator: string | undefined): Compare {
  const parts = keys.length > 0 ? keys : [undefined];
  const compares = parts.map((key): Compare => {
    const own = key?.flags ? key.flags : flags;
    const compare = byFlags(own);
    const sign = own.includes('r') ? -1 : 1;
    const of = (line: string) => (key ? partOf(line, key, separator) : line);
    return (one, other) => sign * compare(of(one), of(other));
  });
  return (one, other) => compares.reduce((result, compare) => result || compare(one, other), 0);
}

function byFlags(flags: string): Compare {
  if (flags.includes('n') || flags.includes('g')) return (one, other) => numberOf(one) - numberOf(other);
  if (flags.includes('h')) return (one, other) => humanOf(one) - humanOf(other);
  if (flags.includes('V')) return byVersion;
  const prepare = (text: string) => {
    const kept = flags.includes('d') ? text.replace(/[^A-Za-z0-9\s]/g, '') : text;
    const bare = flags.includes('b') ? kept.trimStart() : kept;
    return flags.includes('f') ? bare.toUpperCase() : bare;
  };
  return (one, other) => byBytes(prepare(one), prepare(other));
}

const byBytes = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const lastResort = (one: string, other: string, flags: string): number =>
  flags.includes('r') ? byBytes(other, one) : byBytes(one, other);
const numberOf = (text: string): number => Number.parseFloat(/^\s*-?\d*\.?\d*/.exec(text)?.[0] ?? '') || 0;
const humanOf = (text: string): number => {
  const unit = /^\s*-?[\d.]+([KMGTP])/i.exec(text)?.[1]?.toUpperCase() ?? '';
  return numberOf(text) * 1024 ** (unit === '' ? 0 : 'KMGTP'.indexOf(unit) + 1);
};

const runsOf = (text: string): readonly string[] => demandFields(text).match(/\d+|\D+/g) ?? [];

/** Like `sort -V`: runs of digits count as numbers. */
function byVersion(one: string, other: string): number {
  const [left, right] = [runsOf(one), runsOf(other)];
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    const [a = '', b = ''] = [left[index], right[index]];
    const result = /^\d/.test(a) && /^\d/.test(b) ? Number(a) - Number(b) : byBytes(a, b);
    if (result !== 0) return result;
  }
  return 0;
}

function partOf(line: string, { from, fromChar, to, toChar }: Key, separator: string | undefined): string {
  const glue = separator ?? '';
  const fields =
    separator === undefined
      ? (demandFields(line).match(/\s*\S+|\s+$/g) ?? [])
      : demandFields(line).split(separator);
  const start = fields.slice(0, from - 1).join(glue).length + (from > 1 ? glue.length : 0) + fromChar - 1;
  if (to === undefined) return line.slice(start);
  const before = fields.slice(0, toChar === 0 ? to : to - 1).join(glue).length;
  const end = toChar === 0 ? before : before + (to > 1 ? glue.length : 0) + toChar;
  return line.slice(start, end);
}

function fieldsEnd(line: string, count: number): number {
  const field = /\s*\S+/y;
  let end = 0;
  for (let index = 0; index < count && field.test(demandFields(line)); index++) end = field.lastIndex;
  return end;
}

const uniq = command('cdiuf:s:w:', async (tool) => {
  const [input = '-', output] = tool.operands;
  const skip = Number(tool.options.value('f') ?? 0);
  const chars = Number(tool.options.value('s') ?? 0);
  const width = tool.options.value('w');
  const keyOf = (line: string) => {
    const rest = line.slice(fieldsEnd(line, skip)).slice(chars);
    const part = width === undefined ? rest : rest.slice(0, Number(width));
    return tool.has('i') ? part.toLowerCase() : part;
  };
  let last: { line: string; count: number } | undefined;
  let result = '';
  const close = () => {
    if (last === undefined) return;
    const isShown = tool.has('d') ? last.count > 1 : tool.has('u') ? last.count === 1 : true;
    const count = tool.has('c') ? `${String(last.count).padStart(7)} ` : '';
    if (isShown) result += `${count}${last.line}\n`;
  };
  const add = (line: string) => {
    if (last && keyOf(last.line) === keyOf(line)) last.count++;
    else {
      close();
      last = { line, count: 1 };
    }
  };
  let isBegun = false;
  const put = async () => {
    if (output === undefined) await tool.printBytes(result);
    else if (result !== '' || !isBegun)
      await tool.process.fs.writeFile(output, Buffer.from(result, 'latin1'), { append: isBegun });
    isBegun = true;
    result = '';
  };
  await eachInput(
    tool,
    [input],
    async (path) => {
      for await (const lines of linesOf(tool, path)) {
        for (const line of lines) add(line.replace(/\n$/, ''));
        await put();
      }
    },
    cantOpen,
  );
  close();
  await put();
});

export const sortCommands: CommandTable = { sort, uniq };

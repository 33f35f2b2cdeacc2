import { bareLinesOf, bytesOf } from '../kit/input.js';
import { joined } from '../kit/paths.js';
import { command, eachOperand, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { literalPattern, matchesIn, posixRegex, type TextPattern } from './regex.js';

interface Search {
  readonly patterns: readonly TextPattern[];
  readonly hasNames: boolean;
  found: boolean;
}

type Kind = 'basic' | 'extended' | 'fixed';

const grepAs = (kind: Kind) =>
  command({ letters: 'qvicnorRwxEFHhlLe:f:m:sA:B:C:', long: { quiet: 'q', color: 'q' } }, async (tool) => {
    const { given, files } = await patternsAndFiles(tool);
    const isRecursive = tool.has('r') || tool.has('R');
    const search: Search = {
      patterns: await patternsOf(tool, given, kind),
      hasNames: (tool.has('H') || files.length > 1 || isRecursive) && !tool.has('h'),
      found: false,
    };
    const operands = files.length > 0 ? files : [isRecursive ? '.' : '-'];
    await eachFile(tool, operands, isRecursive, search);
    if (search.found && (tool.has('q') || tool.code === 0)) return 0;
    return tool.code === 0 ? 1 : 2;
  });

/** Patterns are those of -e and -f, otherwise the first operand; the other operands are files. */
async function patternsAndFiles(tool: Tool) {
  const [first, ...rest] = tool.operands;
  if (!tool.has('e') && !tool.has('f')) {
    if (first === undefined) throw new ToolError('missing pattern', 2);
    return { given: [first], files: rest };
  }
  const given = [...tool.options.values('e')];
  for (const file of tool.options.values('f'))
    for await (const line of bareLinesOf(tool, file)) given.push(line);
  return { given, files: tool.operands };
}

/** Memory and work of a compiled pattern, and of each of its bytes. */
const PATTERN_COST = 4096;
const PATTERN_BYTE_COST = 256;

async function patternsOf(tool: Tool, given: readonly string[], kind: Kind): Promise<TextPattern[]> {
  const ignoreCase = tool.has('i');
  const isFixed = tool.has('F') || kind === 'fixed';
  const isExtended = tool.has('E') || kind === 'extended';
  const patterns: TextPattern[] = [];
  for (const each of given)
    for (const text of bytesOf(each).split('\n')) {
      const cost = PATTERN_COST + (isFixed ? 1 : PATTERN_BYTE_COST) * text.length;
      tool.process.allocate(cost);
      await tool.process.work(cost);
      patterns.push(isFixed ? literalPattern(text, ignoreCase) : posixRegex(text, isExtended, ignoreCase));
    }
  return patterns;
}

async function eachFile(
  tool: Tool,
  paths: readonly string[],
  isRecursive: boolean,
  search: Search,
): Promise<void> {
  const { fs } = tool.process;
  await eachOperand(tool, paths, async (path) => {
    const isDirectory = path !== '-' && (await fs.stat(path)).kind === 'directory';
    if (!isDirectory) await grepFile(tool, path, search);
    else if (isRecursive) await eachFile(tool, await entriesOf(tool, path), true, search);
  });
}

/** The entries of a directory except links, which might form a cycle. */
async function entriesOf({ process: { fs } }: Tool, path: string): Promise<readonly string[]> {
  const paths = (await fs.readdir(path)).map((name) => joined(path, name));
  const stats = await Promise.all(paths.map((one) => fs.lstat(one)));
  return paths.filter((_, index) => stats[index]?.kind !== 'symlink');
}

async function grepFile(tool: Tool, path: string, search: Search): Promise<void> {
  const name = path === '-' ? '(standard input)' : path;
  const prefix = search.hasNames ? `${bytesOf(name)}:` : '';
  const isQuick = tool.has('q') || tool.has('l');
  const limit = isQuick ? 1 : Number(tool.options.value('m') ?? Number.POSITIVE_INFINITY);
  const isCounting = isQuick || tool.has('L') || tool.has('c');
  let number = 0;
  let count = 0;
  for await (const line of bareLinesOf(tool, path)) {
    number++;
    if ((await isMatch(tool, line, search)) === tool.has('v')) continue;
    count++;
    if (!isCounting) await show(tool, tool.has('n') ? `${prefix}${number}:` : prefix, line, search);
    if (count >= limit) break;
  }
  if (count > 0) search.found = true;
  if (tool.has('q')) return;
  if (tool.has('c')) await tool.printBytes(`${prefix}${count}\n`);
  if (tool.has('l') ? count > 0 : tool.has('L') && count === 0) await tool.print(`${name}\n`);
}

async function show(tool: Tool, place: string, line: string, search: Search): Promise<void> {
  if (!tool.has('o')) return tool.printBytes(`${place}${line}\n`);
  for (const pattern of search.patterns) {
    for await (const { start, end, groups } of matchesIn(tool.process, pattern, line)) {
      if (start < end && isWanted(tool, line, start, end)) await tool.printBytes(`${place}${groups[0]}\n`);
    }
  }
}

async function isMatch(tool: Tool, line: string, { patterns }: Search): Promise<boolean> {
  const isAnywhere = !tool.has('x') && !tool.has('w');
  for (const pattern of patterns) {
    if (isAnywhere) {
      await tool.process.work(pattern.workOf(line.length));
      if (pattern.test(line)) return true;
      continue;
    }
    for await (const { start, end } of matchesIn(tool.process, pattern, line))
      if (isWanted(tool, line, start, end)) return true;
  }
  return false;
}

/** -x requires the whole line, -w whole words. */
const isWanted = (tool: Tool, line: string, start: number, end: number): boolean =>
  (!tool.has('x') || end - start === line.length) && (!tool.has('w') || isWord(line, start, end - start));

const isWord = (text: string, start: number, length: number): boolean =>
  !/\w/.test(text[start - 1] ?? ' ') && !/\w/.test(text[start + length] ?? ' ') && length > 0;

export const grepCommands: CommandTable = {
  grep: grepAs('basic'),
  egrep: grepAs('extended'),
  fgrep: grepAs('fixed'),
};

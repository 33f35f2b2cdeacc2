import { bytesOf, linesOf } from '../kit/input.js';
import { joined } from '../kit/paths.js';
import { command, eachOperand, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { literalRegex, posixRegex } from './regex.js';

interface Search {
  readonly patterns: readonly RegExp[];
  readonly isWhole: boolean;
  /** Names before each line. */
  readonly hasNames: boolean;
  found: boolean;
}

const grepAs = (kind: 'basic' | 'extended' | 'fixed') =>
  command({ letters: 'qvicnorRwxEFHhlLe:f:m:sA:B:C:', long: { quiet: 'q', color: 'q' } }, async (tool) => {
    const [first, ...rest] = tool.operands;
    const given = [...tool.options.values('e')];
    for (const file of tool.options.values('f')) {
      for await (const lines of linesOf(tool, file))
        given.push(...lines.map((line) => line.replace(/\n$/, '')));
    }
    const isGiven = tool.has('e') || tool.has('f');
    if (!isGiven && first === undefined) throw new ToolError('missing pattern', 2);
    const files = isGiven ? tool.operands : rest;
    const isRecursive = tool.has('r') || tool.has('R');
    const search: Search = {
      patterns: patternsOf(tool, isGiven ? given : [first as string], kind),
      isWhole: tool.has('x'),
      hasNames: (tool.has('H') || files.length > 1 || isRecursive) && !tool.has('h'),
      found: false,
    };
    const operands = files.length > 0 ? files : [isRecursive ? '.' : '-'];
    await eachFile(tool, operands, isRecursive, search);
    if (search.found && (tool.has('q') || tool.code === 0)) return 0;
    return tool.code === 0 ? 1 : 2;
  });

function patternsOf(tool: Tool, given: readonly string[], kind: 'basic' | 'extended' | 'fixed'): RegExp[] {
  const flags = tool.has('i') ? 'gi' : 'g';
  const isFixed = tool.has('F') || kind === 'fixed';
  const isExtended = tool.has('E') || kind === 'extended';
  return given
    .flatMap((text) => bytesOf(text).split('\n'))
    .map((text) => (isFixed ? literalRegex(text, flags) : posixRegex(text, isExtended, flags)));
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
    else if (isRecursive) {
      const names = await fs.readdir(path);
      const below: string[] = [];
      for (const name of names) {
        const one = joined(path, name);
        // What is below is not reached through links, which might lead round.
        if ((await fs.lstat(one)).kind !== 'symlink') below.push(one);
      }
      await eachFile(tool, below, true, search);
    }
  });
}

async function grepFile(tool: Tool, path: string, search: Search): Promise<void> {
  const name = path === '-' ? '(standard input)' : path;
  const prefix = search.hasNames ? `${bytesOf(name)}:` : '';
  const limit = Number(tool.options.value('m') ?? Number.POSITIVE_INFINITY);
  const isListing = tool.has('l') || tool.has('L') || tool.has('c') || tool.has('q');
  let number = 0;
  let count = 0;
  for await (const lines of linesOf(tool, path)) {
    for (const line of lines) {
      number++;
      const text = line.endsWith('\n') ? line.slice(0, -1) : line;
      const matches = matchesOf(tool, text, search);
      if (matches.length > 0 === tool.has('v')) continue;
      count++;
      if (!isListing) {
        const place = tool.has('n') ? `${prefix}${number}:` : prefix;
        const shown = tool.has('o') ? (tool.has('v') ? [] : matches.filter((match) => match !== '')) : [text];
        await tool.printBytes(shown.map((one) => `${place}${one}\n`).join(''));
      }
      if (count >= limit || tool.has('q') || tool.has('l')) break;
    }
    if (count >= limit || (count > 0 && (tool.has('q') || tool.has('l')))) break;
  }
  if (count > 0) search.found = true;
  if (tool.has('q')) return;
  if (tool.has('c')) await tool.printBytes(`${prefix}${count}\n`);
  if (tool.has('l') ? count > 0 : tool.has('L') && count === 0) await tool.print(`${name}\n`);
}

/** What of a line fits, from left to right. */
function matchesOf(tool: Tool, text: string, { patterns, isWhole }: Search): string[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)]
      .filter((match) => !isWhole || match[0].length === text.length)
      .filter((match) => !tool.has('w') || isWord(text, match.index, match[0].length))
      .map((match) => match[0]),
  );
}

const isWord = (text: string, start: number, length: number): boolean =>
  !/\w/.test(text[start - 1] ?? ' ') && !/\w/.test(text[start + length] ?? ' ') && length > 0;

/** grep in its three forms. */
export const grepCommands: CommandTable = {
  grep: grepAs('basic'),
  egrep: grepAs('extended'),
  fgrep: grepAs('fixed'),
};

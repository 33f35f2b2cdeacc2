import { Regex } from '../../../base/input/regex.js';
import { bytesOf, cantOpen, demandFields, eachInput, linesOf } from '../kit/input.js';
import { command, ToolError, usage } from '../kit/tool.js';
import type { CommandTable } from '../programs.js';
import { matchesIn, posixRegex, type TextPattern } from './regex.js';

interface Row {
  readonly line: string;
  readonly fields: readonly string[];
  readonly number: number;
}

type Expression = (row: Row) => string;
type Condition = (row: Row) => boolean;

const FORM = 'only [PATTERN] {print LIST} with $N, NF, NR, texts, /REGEX/ and comparisons is simulated';
const refuse = (program: string): never => {
  throw new ToolError(`can't run '${program}': ${FORM}`, 2);
};

/** One value: a field, a built-in variable, a text or a number. */
const VALUE = /\s*(\$NF|\$\d+|NR|NF|"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?)/y;

function parseValue(text: string): Expression {
  if (text === '$NF') return ({ fields }) => fields.at(-1) ?? '';
  if (text === '$0') return ({ line }) => line;
  if (text.startsWith('$')) return ({ fields }) => fields[Number(text.slice(1)) - 1] ?? '';
  if (text === 'NR') return ({ number }) => String(number);
  if (text === 'NF') return ({ fields }) => String(fields.length);
  if (!text.startsWith('"')) return () => text;
  const plain = text
    .slice(1, -1)
    .replace(/\\(.)/g, (_, char: string) => ({ n: '\n', t: '\t' })[char] ?? char);
  return () => plain;
}

/** `$1, "text" $2`: adjacent values are concatenated, commas become blanks. */
function parseList(source: string, program: string): Expression {
  const parts: Expression[] = [];
  let isAfterComma = false;
  for (let at = 0; at < source.trimEnd().length; ) {
    VALUE.lastIndex = at;
    const match = VALUE.exec(source);
    if (!match) return refuse(program);
    if (isAfterComma) parts.push(() => ' ');
    parts.push(parseValue(match[1] as string));
    const comma = /\s*,/y;
    comma.lastIndex = VALUE.lastIndex;
    isAfterComma = comma.test(source);
    at = isAfterComma ? comma.lastIndex : VALUE.lastIndex;
  }
  return (row) => parts.map((part) => part(row)).join('');
}

const COMPARISON = /^(\$NF|\$\d+|NR|NF)\s*(==|!=|<=|>=|<|>|!~|~)\s*(.+)$/s;

function parsePattern(source: string, program: string): Condition {
  let text = source.trim();
  if (text === '') return () => true;
  let isNegated = false;
  for (; text.startsWith('!'); text = text.slice(1).trim()) isNegated = !isNegated;
  const condition = parseCondition(text, program);
  return isNegated ? (row) => !condition(row) : condition;
}

function parseCondition(text: string, program: string): Condition {
  const regex = regexOf(text);
  if (regex) return ({ line }) => regex.test(line);
  const [, left = '', operator = '', right = ''] = COMPARISON.exec(text) ?? refuse(program);
  const value = parseValue(left);
  if (operator.endsWith('~')) {
    const pattern = regexOf(right) ?? refuse(program);
    return (row) => pattern.test(value(row)) === (operator === '~');
  }
  const other = parseList(right, program);
  return (row) => holds(value(row), operator, other(row));
}

const regexOf = (text: string): TextPattern | undefined => {
  const match = /^\/((?:[^/\\]|\\.)*)\/$/.exec(text);
  return match ? posixRegex((match[1] as string).replaceAll('\\/', '/'), true) : undefined;
};

function holds(left: string, operator: string, right: string): boolean {
  const isNumber = (text: string) => text.trim() !== '' && !Number.isNaN(Number(text));
  const order =
    isNumber(left) && isNumber(right)
      ? Number(left) - Number(right)
      : left < right
        ? -1
        : left > right
          ? 1
          : 0;
  if (operator === '==') return order === 0;
  if (operator === '!=') return order !== 0;
  return operator.startsWith('<')
    ? order < 0 || (order === 0 && operator === '<=')
    : order > 0 || (order === 0 && operator === '>=');
}

interface Rule {
  readonly applies: Condition;
  readonly print: Expression;
  readonly isEnd: boolean;
}

/** A pattern and a list: the programs that this awk supports. */
const PROGRAM = String.raw`(?s)^\s*(.*?)\s*(?:\{\s*(?:print\b)\s*((?:"(?:[^"\\]|\\.)*"|[^}"])*?)\s*;?\s*\})?\s*$`;
const MAX_PROGRAM = 64 * 1024;

function parseProgram(program: string): Rule {
  if (program.length > MAX_PROGRAM) refuse(`${program.slice(0, 100)}…`);
  const match = new Regex(PROGRAM).find(program)?.groups;
  const [, pattern = '', list] = match ?? refuse(program);
  if (/[{}]/.test(pattern.replace(/\/(?:[^/\\]|\\.)*\//g, ''))) refuse(program);
  const isEnd = pattern === 'END';
  if (list === undefined && (pattern === '' || isEnd)) refuse(program);
  return {
    applies: isEnd ? () => true : parsePattern(pattern, program),
    print: list ? parseList(list, program) : ({ line }) => line,
    isEnd,
  };
}

/** Lines of more characters pay for their fields, with this cost for each character. */
const LONG_LINE = 4096;
const FIELD_COST = 24;

const awk = command({ letters: 'F:v:', stopAtOperand: true }, async (tool) => {
  const [program, ...paths] = tool.operands;
  if (program === undefined) throw usage('missing program');
  const rule = parseProgram(bytesOf(program));
  const separator = tool.options.value('F');
  const given = separator === 't' || separator === '\\t' ? '\t' : (separator ?? ' ');
  const pattern = given.length > 1 ? posixRegex(given, true) : undefined;
  const split = async (line: string): Promise<string[]> => {
    const cost = demandFields(line).length > LONG_LINE ? FIELD_COST * line.length : 0;
    tool.process.allocate(cost);
    tool.process.allocate(-cost);
    if (given === ' ') return line.split(/[ \t\n]+/).filter((field) => field !== '');
    if (pattern === undefined) return line.split(given);
    const fields: string[] = [];
    let from = 0;
    for await (const { start, end } of matchesIn(tool.process, pattern, line)) {
      if (start === end) continue;
      fields.push(line.slice(from, start));
      from = end;
    }
    return [...fields, line.slice(from)];
  };
  let row: Row = { line: '', fields: [], number: 0 };
  await eachInput(
    tool,
    paths,
    async (path) => {
      for await (const lines of linesOf(tool, path)) {
        for (const whole of lines) {
          const line = whole.replace(/\n$/, '');
          row = { line, fields: await split(line), number: row.number + 1 };
          if (!rule.isEnd && rule.applies(row)) await tool.printBytes(`${rule.print(row)}\n`);
        }
      }
    },
    cantOpen,
  );
  if (rule.isEnd) await tool.printBytes(`${rule.print(row)}\n`);
});

/** The part of awk that containers' command lines use. */
export const awkCommands: CommandTable = { awk };

import { posixRegex } from '../../commands/text/regex.js';
import type { FileStat } from '../../fs/file-stat.js';
import type { Builtin, BuiltinCall } from '../execution/builtin.js';
import { type Shell, write } from '../execution/shell.js';
import { absolute } from '../expansion/glob.js';
import { compilePattern, matchesPattern } from '../expansion/pattern.js';
import { MAX_DIGITS } from './printf.js';

/** Conditions; `[[` takes the same words, as busybox's does. */
export const testBuiltins: readonly (readonly [string, Builtin])[] = [
  ['test', { special: false, run: test }],
  ['[', { special: false, run: test }],
  ['[[', { special: false, run: test }],
];

class TestError extends Error {
  override readonly name = 'TestError';
}

/** Nesting of parentheses and `!`. */
const MAX_DEPTH = 200;

/** 0 if the expression is true, 1 if it is false, 2 if it is invalid. */
async function test(shell: Shell, given: readonly string[], { name }: BuiltinCall): Promise<number> {
  const closing = name === '[' ? ']' : name === '[[' ? ']]' : undefined;
  try {
    if (closing !== undefined && given.at(-1) !== closing) throw new TestError(`missing ${closing}`);
    const args = closing === undefined ? given : given.slice(0, -1);
    return (await new Expression(shell, args, name === '[[').holds()) ? 0 : 1;
  } catch (error) {
    if (!(error instanceof TestError)) throw error;
    await write(shell, 2, `${shell.arg0}: ${error.message}\n`);
    return 2;
  }
}

const BINARY: ReadonlySet<string> = new Set('= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef =~'.split(' '));
const UNARY = /^-[bcdefghknprstuwxzLOGS]$/;

class Expression {
  readonly #shell: Shell;
  readonly #args: readonly string[];
  /** In `[[ … ]]` the right side of `==` is a pattern. */
  readonly #patterns: boolean;
  #at = 0;
  #depth = 0;

  constructor(shell: Shell, args: readonly string[], patterns: boolean) {
    this.#shell = shell;
    this.#args = args;
    this.#patterns = patterns;
  }

  async holds(): Promise<boolean> {
    if (this.#args.length === 0) return false;
    const result = await this.#or();
    const extra = this.#args[this.#at];
    if (extra !== undefined) throw new TestError(`${extra}: unknown operand`);
    return result;
  }

  async #or(): Promise<boolean> {
    let result = await this.#and();
    while (this.#accept('-o', '||')) result = (await this.#and()) || result;
    return result;
  }

  async #and(): Promise<boolean> {
    let result = await this.#not();
    while (this.#accept('-a', '&&')) result = (await this.#not()) && result;
    return result;
  }

  async #not(): Promise<boolean> {
    if (++this.#depth > MAX_DEPTH) throw new TestError('too many arguments');
    const result =
      this.#args[this.#at] === '!' && this.#left > 1 && !this.#isBinary() && this.#accept('!')
        ? !(await this.#not())
        : await this.#primary();
    this.#depth--;
    return result;
  }

  get #left(): number {
    return this.#args.length - this.#at;
  }

  #isBinary(): boolean {
    return this.#left >= 3 && BINARY.has(this.#args[this.#at + 1] ?? '');
  }

  async #primary(): Promise<boolean> {
    const [first = '', operator = '', right] = this.#args.slice(this.#at);
    if (this.#left === 0) throw new TestError('argument expected');
    if (right !== undefined && BINARY.has(operator)) {
      this.#at += 3;
      return this.#compare(first, operator, right);
    }
    if (first === '(' && this.#left > 1) return this.#parenthesis();
    if (UNARY.test(first) && this.#left > 1 && !(this.#left > 2 && /^-[ao]$/.test(operator))) {
      this.#at += 2;
      return this.#unary(first, operator);
    }
    if (BINARY.has(operator)) throw new TestError(`${operator}: argument expected`);
    this.#at++;
    return first !== '';
  }

  async #parenthesis(): Promise<boolean> {
    this.#at++;
    const result = await this.#or();
    if (!this.#accept(')')) throw new TestError('closing paren expected');
    return result;
  }

  #accept(...texts: readonly string[]): boolean {
    const isNext = texts.includes(this.#args[this.#at] ?? '');
    if (isNext) this.#at++;
    return isNext;
  }

  async #compare(left: string, operator: string, right: string): Promise<boolean> {
    switch (operator) {
      case '=':
      case '==':
        return this.#equals(left, right);
      case '!=':
        return !this.#equals(left, right);
      case '<':
        return left < right;
      case '>':
        return left > right;
      case '=~':
        return this.#matches(left, right);
      case '-nt':
      case '-ot':
      case '-ef':
        return this.#compareFiles(left, operator, right);
      default:
        return compareNumbers(toNumber(left), operator, toNumber(right));
    }
  }

  #matches(text: string, pattern: string): boolean {
    try {
      return posixRegex(pattern, true).test(text);
    } catch (error) {
      throw new TestError((error as Error).message);
    }
  }

  #equals(left: string, right: string): boolean {
    return this.#patterns
      ? matchesPattern(compilePattern([{ text: right, quoted: false }]), left)
      : left === right;
  }

  async #compareFiles(left: string, operator: string, right: string): Promise<boolean> {
    const [a, b] = await Promise.all([this.#stat(left), this.#stat(right)]);
    if (operator === '-ef') return a !== undefined && this.#path(left) === this.#path(right);
    const [newer, older] = operator === '-nt' ? [a, b] : [b, a];
    return newer !== undefined && (older === undefined || newer.modifiedAt > older.modifiedAt);
  }

  async #unary(operator: string, operand: string): Promise<boolean> {
    if (operator === '-n') return operand !== '';
    if (operator === '-z') return operand === '';
    if (operator === '-t') return this.#shell.files.get(Number(operand))?.terminal !== undefined;
    if (operator === '-L' || operator === '-h') return (await this.#lstat(operand))?.kind === 'symlink';
    const stat = await this.#stat(operand);
    return stat !== undefined && fileHas(stat, operator, this.#shell);
  }

  #path(operand: string): string {
    return absolute(this.#shell.cwd, operand);
  }

  async #stat(operand: string): Promise<FileStat | undefined> {
    return operand === ''
      ? undefined
      : this.#shell.process.fs.stat(this.#path(operand)).catch(() => undefined);
  }

  async #lstat(operand: string): Promise<FileStat | undefined> {
    return operand === ''
      ? undefined
      : this.#shell.process.fs.lstat(this.#path(operand)).catch(() => undefined);
  }
}

function fileHas(stat: FileStat, operator: string, { process: { user } }: Shell): boolean {
  switch (operator) {
    case '-f':
      return stat.kind === 'file';
    case '-d':
      return stat.kind === 'directory';
    case '-s':
      return stat.size > 0;
    case '-p':
      return stat.kind === 'pipe';
    case '-c':
      return stat.kind === 'device';
    case '-b':
    case '-S':
      return false;
    case '-r':
    case '-w':
    case '-x':
      return isPermitted(stat, operator, user);
    case '-g':
      return (stat.mode & 0o2000) !== 0;
    case '-k':
      return (stat.mode & 0o1000) !== 0;
    case '-u':
      return (stat.mode & 0o4000) !== 0;
    case '-O':
      return stat.uid === user.uid;
    case '-G':
      return stat.gid === user.gid;
    default:
      return true;
  }
}

function isPermitted(
  { mode, uid, gid }: FileStat,
  operator: string,
  user: Shell['process']['user'],
): boolean {
  const bit = operator === '-r' ? 4 : operator === '-w' ? 2 : 1;
  if (user.uid === 0) return bit !== 1 || (mode & 0o111) !== 0;
  const isGroup = gid === user.gid || user.groups.includes(gid);
  const shift = uid === user.uid ? 6 : isGroup ? 3 : 0;
  return ((mode >> shift) & bit) !== 0;
}

function toNumber(text: string): bigint {
  if (!/^\s*[-+]?\d+\s*$/.test(text)) throw new TestError(`${text}: bad number`);
  if (text.length > MAX_DIGITS) throw new TestError(`${text.slice(0, MAX_DIGITS)}: out of range`);
  return BigInt(text.trim().replace(/^\+/, ''));
}

function compareNumbers(left: bigint, operator: string, right: bigint): boolean {
  switch (operator) {
    case '-eq':
      return left === right;
    case '-ne':
      return left !== right;
    case '-lt':
      return left < right;
    case '-le':
      return left <= right;
    case '-gt':
      return left > right;
    default:
      return left >= right;
  }
}

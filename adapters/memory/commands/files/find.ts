import { globMatches } from '../../glob.js';
import type { FileStat } from '../../process/file-system.js';
import { accounts } from '../../users.js';
import { baseOf, joined } from '../kit/paths.js';
import { programOf } from '../kit/run-other.js';
import { command, eachOperand, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';

interface Visit {
  readonly path: string;
  readonly stat: FileStat;
  readonly depth: number;
  /** Set by -prune: what is below is left out. */
  isPruned: boolean;
}

type Test = (visit: Visit) => Promise<boolean> | boolean;

interface Plan {
  readonly test: Test;
  readonly minDepth: number;
  readonly maxDepth: number;
  readonly isDepthFirst: boolean;
  readonly follows: boolean;
  /** What is left to do at the end: -exec … +. */
  finish(): Promise<void>;
}

const find = (programs: Programs) =>
  command({ isRaw: true }, async (tool) => {
    const start = tool.args.findIndex((word) => /^[-!(]/.test(word) && !/^-[LHP]$/.test(word));
    const before = start < 0 ? tool.args : tool.args.slice(0, start);
    const paths = before.filter((word) => !/^-[LHP]$/.test(word));
    const plan = new ExpressionParser(
      tool,
      programs,
      start < 0 ? [] : tool.args.slice(start),
      before.includes('-L'),
    ).plan();
    await eachOperand(tool, paths.length > 0 ? paths : ['.'], (path) => walk(tool, plan, path, 0));
    await plan.finish();
  });

async function walk(tool: Tool, plan: Plan, path: string, depth: number): Promise<void> {
  const { fs } = tool.process;
  const stat = plan.follows ? await fs.stat(path).catch(() => fs.lstat(path)) : await fs.lstat(path);
  const visit: Visit = { path, stat, depth, isPruned: false };
  const check = async () => {
    if (depth >= plan.minDepth) await plan.test(visit);
  };
  if (!plan.isDepthFirst) await check();
  if (stat.kind === 'directory' && depth < plan.maxDepth && !visit.isPruned) {
    await eachOperand(
      tool,
      await fs.readdir(path).catch(async (error: Error) => {
        await tool.complain(`${path}: ${error.message}`);
        return [];
      }),
      (name) => walk(tool, plan, joined(path, name), depth + 1),
    );
  }
  if (plan.isDepthFirst) await check();
}

const KINDS: Readonly<Record<string, FileStat['kind']>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  c: 'device',
  b: 'device',
  p: 'pipe',
};
const UNITS: Readonly<Record<string, number>> = {
  '': 512,
  b: 512,
  c: 1,
  w: 2,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
};
const DAY = 86_400_000_000_000n;
const MINUTE = 60_000_000_000n;

/** Arguments that one -exec … + takes at once. */
const BATCH = 1000;

class ExpressionParser {
  readonly #tool: Tool;
  readonly #programs: Programs;
  readonly #words: readonly string[];
  readonly #follows: boolean;
  #at = 0;
  #minDepth = 0;
  #maxDepth = Number.POSITIVE_INFINITY;
  #isDepthFirst = false;
  #hasAction = false;
  readonly #finishers: (() => Promise<void>)[] = [];

  constructor(tool: Tool, programs: Programs, words: readonly string[], follows: boolean) {
    this.#tool = tool;
    this.#programs = programs;
    this.#words = words;
    this.#follows = follows;
  }

  plan(): Plan {
    const given = this.#words.length === 0 ? () => true : this.#or();
    if (this.#at < this.#words.length) throw new ToolError(`unrecognized: ${this.#words[this.#at]}`);
    const print = this.#print('\n');
    const test: Test = this.#hasAction ? given : async (visit) => (await given(visit)) && print(visit);
    return {
      test,
      minDepth: this.#minDepth,
      maxDepth: this.#maxDepth,
      isDepthFirst: this.#isDepthFirst,
      follows: this.#follows,
      finish: async () => {
        for (const finish of this.#finishers) await finish();
      },
    };
  }

  #or(): Test {
    const left = this.#and();
    if (!this.#accept('-o', '-or')) return left;
    const right = this.#or();
    return async (visit) => (await left(visit)) || (await right(visit));
  }

  #and(): Test {
    const left = this.#not();
    const hasMore =
      this.#accept('-a', '-and') || !['-o', '-or', ')', undefined].includes(this.#words[this.#at]);
    if (!hasMore) return left;
    const right = this.#and();
    return async (visit) => (await left(visit)) && (await right(visit));
  }

  #not(): Test {
    if (this.#accept('!', '-not')) {
      const inner = this.#not();
      return async (visit) => !(await inner(visit));
    }
    if (!this.#accept('(')) return this.#primary();
    const inner = this.#or();
    if (!this.#accept(')')) throw new ToolError("unpaired '('");
    return inner;
  }

  #accept(...words: readonly string[]): boolean {
    const isNext = words.includes(this.#words[this.#at] ?? '');
    if (isNext) this.#at++;
    return isNext;
  }

  #take(word: string): string {
    const value = this.#words[this.#at++];
    if (value === undefined) throw new ToolError(`${word} requires an argument`);
    return value;
  }

  #primary(): Test {
    const word = this.#words[this.#at++] ?? '';
    switch (word) {
      case '-name':
      case '-iname':
        return this.#named(this.#take(word), word === '-iname', ({ path }) => baseOf(path));
      case '-path':
      case '-ipath':
        return this.#named(this.#take(word), word === '-ipath', ({ path }) => path);
      case '-type':
        return this.#typed(this.#take(word));
      case '-maxdepth':
        this.#maxDepth = Number(this.#take(word));
        return () => true;
      case '-mindepth':
        this.#minDepth = Number(this.#take(word));
        return () => true;
      case '-depth':
        this.#isDepthFirst = true;
        return () => true;
      case '-size':
        return this.#sized(this.#take(word));
      case '-mtime':
      case '-mmin':
        return this.#aged(this.#take(word), word === '-mtime' ? DAY : MINUTE);
      case '-newer':
        return this.#newer(this.#take(word));
      case '-empty':
        return (visit) => this.#isEmpty(visit);
      case '-perm':
        return permitted(this.#take(word));
      case '-user':
        return owned(this.#take(word));
      default:
        return this.#action(word);
    }
  }

  #action(word: string): Test {
    if (word === '-prune') {
      return (visit) => {
        visit.isPruned = true;
        return true;
      };
    }
    if (word === '-quit' || !['-print', '-print0', '-delete', '-exec'].includes(word)) {
      throw new ToolError(`unrecognized: ${word}`);
    }
    this.#hasAction = true;
    if (word === '-exec') return this.#exec();
    if (word !== '-delete') return this.#print(word === '-print' ? '\n' : '\0');
    this.#isDepthFirst = true;
    return async ({ path, stat }) => {
      const { fs } = this.#tool.process;
      await (stat.kind === 'directory' ? fs.rmdir(path) : fs.unlink(path));
      return true;
    };
  }

  #print(ending: string): Test {
    return async ({ path }) => {
      await this.#tool.print(path + ending);
      return true;
    };
  }

  #exec(): Test {
    const words: string[] = [];
    for (let word = this.#take('-exec'); word !== ';'; word = this.#take('-exec')) {
      if (word === '+' && words.at(-1) === '{}') return this.#batch(words.slice(0, -1));
      words.push(word);
    }
    return ({ path }) => this.#run(words.map((word) => word.replaceAll('{}', path)));
  }

  #batch(words: readonly string[]): Test {
    let paths: string[] = [];
    const run = async () => {
      const batch = paths;
      paths = [];
      if (batch.length > 0 && !(await this.#run([...words, ...batch]))) this.#tool.code = 1;
    };
    this.#finishers.push(run);
    return async ({ path }) => {
      paths.push(path);
      if (paths.length >= BATCH) await run();
      return true;
    };
  }

  async #run(argv: readonly string[]): Promise<boolean> {
    const { process } = this.#tool;
    await this.#tool.flush();
    const program = await programOf(this.#programs, process, argv);
    const { code } = await process.clock.idle(process.spawn({ argv, program }).exit);
    return code === 0;
  }

  #named(pattern: string, ignoresCase: boolean, of: (visit: Visit) => string): Test {
    const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);
    return (visit) => globMatches(fold(pattern), fold(of(visit)));
  }

  #typed(letters: string): Test {
    const kinds = letters.split(',').map((letter) => KINDS[letter]);
    if (kinds.includes(undefined)) throw new ToolError(`invalid argument '${letters}' to '-type'`);
    return ({ stat }) => kinds.includes(stat.kind);
  }

  #sized(text: string): Test {
    const match = /^([-+]?)(\d+)([bcwkMG]?)$/.exec(text);
    if (!match) throw new ToolError(`invalid number '${text}'`);
    const [, sign = '', digits, unit = ''] = match;
    return ({ stat: { size } }) => compared(sign, Math.ceil(size / (UNITS[unit] ?? 1)), Number(digits));
  }

  #aged(text: string, unit: bigint): Test {
    const match = /^([-+]?)(\d+)$/.exec(text);
    if (!match) throw new ToolError(`invalid number '${text}'`);
    const now = this.#tool.process.clock.now();
    return ({ stat }) => compared(match[1] ?? '', Number((now - stat.modifiedAt) / unit), Number(match[2]));
  }

  #newer(path: string): Test {
    const reference = this.#tool.process.fs.stat(path);
    reference.catch(() => {});
    return async ({ stat }) => stat.modifiedAt > (await reference).modifiedAt;
  }

  async #isEmpty({ path, stat }: Visit): Promise<boolean> {
    if (stat.kind === 'file') return stat.size === 0;
    return stat.kind === 'directory' && (await this.#tool.process.fs.readdir(path)).length === 0;
  }
}

const compared = (sign: string, value: number, wanted: number): boolean =>
  sign === '+' ? value > wanted : sign === '-' ? value < wanted : value === wanted;

function permitted(text: string): Test {
  const match = /^([-/]?)([0-7]+)$/.exec(text);
  if (!match) throw new ToolError(`invalid mode '${text}'`);
  const bits = Number.parseInt(match[2] ?? '', 8);
  if (match[1] === '-') return ({ stat }) => (stat.mode & bits) === bits;
  if (match[1] === '/') return ({ stat }) => bits === 0 || (stat.mode & bits) !== 0;
  return ({ stat }) => stat.mode === bits;
}

function owned(text: string): Test {
  const uid = /^\d+$/.test(text) ? Number(text) : accounts.find(({ name }) => name === text)?.uid;
  if (uid === undefined) throw new ToolError(`unknown user ${text}`);
  return ({ stat }) => stat.uid === uid;
}

/** What searches directories. */
export const findCommands = (programs: Programs): CommandTable => ({ find: find(programs) });

import { baseOf } from '../kit/paths.js';
import { type Tool, ToolError } from '../kit/tool.js';
import type { Programs } from '../programs.js';
import { execute, executeMany, print, prune, remove } from './find-actions.js';
import {
  aged,
  DAY,
  empty,
  MINUTE,
  named,
  newer,
  owned,
  permitted,
  sized,
  type Test,
  typed,
} from './find-tests.js';

export interface Plan {
  readonly test: Test;
  readonly minDepth: number;
  readonly maxDepth: number;
  readonly isDepthFirst: boolean;
  readonly follows: boolean;
  finish(): Promise<void>;
}

export class ExpressionParser {
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
    const shown = print(this.#tool, '\n');
    const test: Test = this.#hasAction ? given : async (visit) => (await given(visit)) && shown(visit);
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
        return named(this.#take(word), word === '-iname', ({ path }) => baseOf(path));
      case '-path':
      case '-ipath':
        return named(this.#take(word), word === '-ipath', ({ path }) => path);
      case '-type':
        return typed(this.#take(word));
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
        return sized(this.#take(word));
      case '-mtime':
      case '-mmin':
        return aged(this.#tool, this.#take(word), word === '-mtime' ? DAY : MINUTE);
      case '-newer':
        return newer(this.#tool, this.#take(word));
      case '-empty':
        return empty(this.#tool);
      case '-perm':
        return permitted(this.#take(word));
      case '-user':
        return owned(this.#take(word));
      default:
        return this.#action(word);
    }
  }

  #action(word: string): Test {
    if (word === '-prune') return prune;
    if (!['-print', '-print0', '-delete', '-exec'].includes(word)) {
      throw new ToolError(`unrecognized: ${word}`);
    }
    this.#hasAction = true;
    if (word === '-exec') return this.#exec();
    if (word !== '-delete') return print(this.#tool, word === '-print' ? '\n' : '\0');
    this.#isDepthFirst = true;
    return remove(this.#tool);
  }

  #exec(): Test {
    const words: string[] = [];
    for (let word = this.#take('-exec'); word !== ';'; word = this.#take('-exec')) {
      if (word === '+' && words.at(-1) === '{}') return this.#execMany(words.slice(0, -1));
      words.push(word);
    }
    return execute(this.#tool, this.#programs, words);
  }

  #execMany(words: readonly string[]): Test {
    const { test, finish } = executeMany(this.#tool, this.#programs, words);
    this.#finishers.push(finish);
    return test;
  }
}

import { costOfText, costOfTexts } from '../../process/memory.js';
import { exitCodeOf } from '../../process/signals.js';
import { chunksOf } from '../kit/input.js';
import { CannotRun, lookUp } from '../kit/run-other.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';

/** Maximum number of words in one command, unless -n sets a lower one. */
const MAX_WORDS = 5000;

const xargs = (programs: Programs) =>
  command({ letters: 'n:I:0rtpxs:P:L:', stopAtOperand: true }, async (tool) => {
    const { process } = tool;
    const given = tool.operands.length > 0 ? tool.operands : ['echo'];
    const marker = tool.options.value('I');
    const size = marker === undefined ? Number(tool.options.value('n') ?? MAX_WORDS) : 1;
    if (!(size > 0)) throw new ToolError(`invalid number '${tool.options.value('n')}'`);
    const run = async (batch: readonly string[]): Promise<void> => {
      const argv =
        marker === undefined
          ? [...given, ...batch]
          : given.map((word) => word.replaceAll(marker, batch[0] ?? ''));
      if (tool.has('t')) await process.stderr.write(Buffer.from(`${argv.join(' ')}\n`));
      const program = await lookUp(programs, process, argv[0] ?? '').catch((error: unknown) => {
        throw error instanceof CannotRun ? new ToolError(`${argv[0]}: ${error.message}`, error.code) : error;
      });
      const code = exitCodeOf(await process.clock.idle(process.spawn({ argv, program }).exit));
      if (code === 255) throw new ToolError(`${argv[0]}: exited with status 255; aborting`, 124);
      if (code !== 0) tool.code = 123;
    };
    let batch: string[] = [];
    let isRun = false;
    for await (const words of wordsOf(tool, tool.has('0'), marker !== undefined)) {
      for (const word of words) {
        process.allocate(costOfText(word));
        if (batch.push(word) < size) continue;
        await run(batch);
        process.allocate(-costOfTexts(batch));
        [batch, isRun] = [[], true];
      }
    }
    if (batch.length > 0 || (!isRun && !tool.has('r') && marker === undefined)) await run(batch);
  });

/** Bytes of an incomplete word or line. */
const MAX_REST = 4 * 1024 * 1024;
/** Words that it reads before it lets other tasks run. */
const WORDS_AT_ONCE = 1024;

/** With quotes and backslashes. */
const WORD = /(?:"[^"\n]*"|'[^'\n]*'|\\[\s\S]|[^ \t\n\v\f\r"'\\]+)+/g;
const QUOTING = /["'\\]/;

/** Yields words as they arrive: the complete ones of each read. */
async function* wordsOf(tool: Tool, areZeroEnded: boolean, areLines: boolean): AsyncGenerator<string[]> {
  const word = areZeroEnded ? /[^\0]+/g : areLines ? /\S[^\n]*/g : WORD;
  let rest: string[] = [];
  let size = 0;
  let isQuoted = false;
  for await (const chunk of chunksOf(tool, '-')) {
    const bytes = chunk.toString('latin1');
    isQuoted ||= QUOTING.test(bytes);
    const stop = areZeroEnded
      ? bytes.lastIndexOf('\0') + 1
      : areLines || isQuoted
        ? endOfLines(bytes)
        : endOfWords(bytes);
    const left = bytes.slice(stop);
    if (stop > 0) {
      yield* split(rest.join('') + bytes.slice(0, stop));
      tool.process.allocate(-size);
      [rest, size, isQuoted] = [[], 0, QUOTING.test(left)];
    }
    tool.process.allocate(costOfText(left));
    size += costOfText(left);
    if (size > MAX_REST) throw new ToolError('argument line too long');
    rest.push(left);
  }
  yield* split(rest.join(''));

  async function* split(bytes: string): AsyncGenerator<string[]> {
    let words: string[] = [];
    for (const [found] of Buffer.from(bytes, 'latin1').toString().matchAll(word)) {
      if (words.push(word === WORD ? unquoted(found) : found) < WORDS_AT_ONCE) continue;
      yield words;
      words = [];
      await tool.process.work(0);
    }
    yield words;
  }
}

/** Returns the place after the last newline that follows no backslash. */
function endOfLines(bytes: string): number {
  let at = bytes.lastIndexOf('\n');
  while (at >= 0 && (at === 0 || bytes[at - 1] === '\\'))
    at = at === 0 ? -1 : bytes.lastIndexOf('\n', at - 1);
  return at + 1;
}

function endOfWords(bytes: string): number {
  let at = bytes.length;
  while (at > 0 && !' \t\n\v\f\r'.includes(bytes.charAt(at - 1))) at--;
  return at;
}

const unquoted = (word: string): string =>
  QUOTING.test(word)
    ? word.replace(
        /"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])/g,
        (_, double, single, char) => double ?? single ?? char,
      )
    : word;

/** busybox's xargs; finds its command in `programs`. */
export const xargsCommands = (programs: Programs): CommandTable => ({ xargs: xargs(programs) });

import { costOfText, costOfTexts } from '../../process/memory.js';
import { exitCodeOf } from '../../process/signals.js';
import { chunksOf } from '../kit/input.js';
import { CannotRun, lookUp } from '../kit/run-other.js';
import { command, type Tool, ToolError } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';

/** The most words that one command gets, as far as -n doesn't say less. */
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

/** Words as they come: each read gives those that it completes. */
async function* wordsOf(tool: Tool, areZeroEnded: boolean, areLines: boolean): AsyncGenerator<string[]> {
  const end = areZeroEnded ? '\0' : '\n';
  let rest: string[] = [];
  let size = 0;
  const split = (bytes: string): string[] => {
    const text = Buffer.from(bytes, 'latin1').toString();
    return areZeroEnded ? text.split('\0').filter((word) => word !== '') : wordsIn(text, areLines);
  };
  for await (const chunk of chunksOf(tool, '-')) {
    const bytes = chunk.toString('latin1');
    const stop = endOfWords(bytes, end);
    if (stop > 0) yield split(rest.join('') + bytes.slice(0, stop));
    if (stop > 0) {
      tool.process.allocate(-size);
      [rest, size] = [[], 0];
    }
    const left = bytes.slice(stop);
    tool.process.allocate(costOfText(left));
    size += costOfText(left);
    rest.push(left);
  }
  yield split(rest.join(''));
}

/** After the last end of a word; a newline after a backslash is none. */
function endOfWords(bytes: string, end: string): number {
  let at = bytes.lastIndexOf(end);
  while (end === '\n' && at >= 0 && (at === 0 || bytes[at - 1] === '\\'))
    at = at === 0 ? -1 : bytes.lastIndexOf(end, at - 1);
  return at + 1;
}

/** Words as xargs reads them: quotes and backslashes protect; whole lines with -I. */
function wordsIn(text: string, areLines: boolean): string[] {
  if (areLines) {
    return text
      .split('\n')
      .map((line) => line.trimStart())
      .filter((line) => line !== '');
  }
  return [...text.matchAll(/(?:"[^"\n]*"|'[^'\n]*'|\\[\s\S]|[^\s"'\\])+/g)].map(([word]) =>
    word.replace(
      /"([^"\n]*)"|'([^'\n]*)'|\\([\s\S])/g,
      (_, double, single, char) => double ?? single ?? char,
    ),
  );
}

/** busybox's xargs; `programs` are where its command is looked up. */
export const xargsCommands = (programs: Programs): CommandTable => ({ xargs: xargs(programs) });

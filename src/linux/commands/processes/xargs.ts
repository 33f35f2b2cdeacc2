import { exitCodeOf } from '../../process/signals.js';
import { chunksOf } from '../kit/input.js';
import { CannotRun, lookUp } from '../kit/run-other.js';
import { command, ToolError } from '../kit/tool.js';
import type { CommandTable, Programs } from '../programs.js';

/** The most words that one command gets, as far as -n doesn't say less. */
const MAX_WORDS = 5000;

const xargs = (programs: Programs) =>
  command({ letters: 'n:I:0rtpxs:P:L:', stopAtOperand: true }, async (tool) => {
    const { process } = tool;
    const given = tool.operands.length > 0 ? tool.operands : ['echo'];
    const marker = tool.options.value('I');
    let text = '';
    for await (const chunk of chunksOf(tool, '-')) text += chunk.toString();
    const words = tool.has('0')
      ? text.split('\0').filter((word) => word !== '')
      : wordsOf(text, marker !== undefined);
    const size = marker === undefined ? Number(tool.options.value('n') ?? MAX_WORDS) : 1;
    if (!(size > 0)) throw new ToolError(`invalid number '${tool.options.value('n')}'`);
    const batches: string[][] = [];
    for (let at = 0; at < words.length; at += size) batches.push(words.slice(at, at + size));
    if (batches.length === 0 && !tool.has('r') && marker === undefined) batches.push([]);
    for (const batch of batches) {
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
    }
  });

/** Words as xargs reads them: quotes and backslashes protect; whole lines with -I. */
function wordsOf(text: string, areLines: boolean): string[] {
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

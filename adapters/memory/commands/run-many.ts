import { FileError } from '../process/file-system.js';
import type { Program } from '../process/process.js';
import { exitCodeOf } from '../process/signals.js';
import { chunksOf } from './input.js';
import type { CommandTable, Programs } from './programs.js';
import { command, type Tool, ToolError } from './tool.js';

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
      const program = await lookUp(tool, programs, argv[0] ?? '');
      const code = exitCodeOf(await process.clock.idle(process.spawn({ argv, program }).exit));
      if (code === 255) throw new ToolError(`${argv[0]}: exited with status 255; aborting`, 124);
      if (code !== 0) tool.code = 123;
    }
  });

async function lookUp({ process }: Tool, programs: Programs, name: string): Promise<Program> {
  const from = { fs: process.fs, cwd: process.cwd, env: process.env };
  const program = await programs.find(name, from).catch((error: Error) => {
    throw new ToolError(`${name}: ${error.message}`, 126);
  });
  if (program === undefined) throw new ToolError(`${name}: No such file or directory`, 127);
  return program;
}

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

const which = command('a', async (tool) => {
  const { fs, cwd, env } = tool.process;
  for (const name of tool.operands) {
    const dirs = (env.get('PATH') ?? '/sbin:/usr/sbin:/bin:/usr/bin').split(':');
    const paths = name.includes('/') ? [name] : dirs.map((dir) => `${dir || '.'}/${name}`);
    const found: string[] = [];
    for (const path of paths) {
      const absolute = path.startsWith('/') ? path : `${cwd}/${path}`;
      const isThere = await isExecutable(fs, absolute);
      if (isThere) found.push(path);
    }
    for (const path of tool.has('a') ? found : found.slice(0, 1)) await tool.print(`${path}\n`);
    if (found.length === 0) tool.code = 1;
  }
});

async function isExecutable(fs: Tool['process']['fs'], path: string): Promise<boolean> {
  try {
    if ((await fs.stat(path)).kind !== 'file') return false;
    await fs.access(path, 'execute');
    return true;
  } catch (error) {
    if (error instanceof FileError) return false;
    throw error;
  }
}

/** `echo`, `printf` and `test` as programs are those of the shell. */
const ofShell = (shell: Program, name: string): Program => {
  return (process) => {
    const [path = name, ...args] = process.argv;
    return process.exec({
      argv: ['sh', '-c', `${name} "$@"`, path.replace(/^.*\//, ''), ...args],
      program: shell,
    });
  };
};

/** Commands that run others, or that the shell has too. */
export const runCommands = (programs: Programs, shell: Program): CommandTable => ({
  xargs: xargs(programs),
  which,
  ...Object.fromEntries(['echo', 'printf', 'test', '['].map((name) => [name, ofShell(shell, name)])),
});

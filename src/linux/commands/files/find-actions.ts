import { programOf } from '../kit/run-other.js';
import type { Tool } from '../kit/tool.js';
import type { Programs } from '../programs.js';
import type { Test } from './find-tests.js';

const BATCH = 1000;

export const prune: Test = (visit) => {
  visit.isPruned = true;
  return true;
};

export const print =
  (tool: Tool, ending: string): Test =>
  async ({ path }) => {
    await tool.print(path + ending);
    return true;
  };

export const remove =
  ({ process: { fs } }: Tool): Test =>
  async ({ path, stat }) => {
    await (stat.kind === 'directory' ? fs.rmdir(path) : fs.unlink(path));
    return true;
  };

/** `-exec … ;`: true if the command succeeds. */
export const execute =
  (tool: Tool, programs: Programs, words: readonly string[]): Test =>
  ({ path }) =>
    run(
      tool,
      programs,
      words.map((word) => word.replaceAll('{}', path)),
    );

/** `-exec … {} +` with many paths each; `finish` runs the command for the last ones. */
export function executeMany(
  tool: Tool,
  programs: Programs,
  words: readonly string[],
): { readonly test: Test; finish(): Promise<void> } {
  let paths: string[] = [];
  const finish = async () => {
    const batch = paths;
    paths = [];
    if (batch.length > 0 && !(await run(tool, programs, [...words, ...batch]))) tool.code = 1;
  };
  const test: Test = async ({ path }) => {
    paths.push(path);
    if (paths.length >= BATCH) await finish();
    return true;
  };
  return { test, finish };
}

async function run(tool: Tool, programs: Programs, argv: readonly string[]): Promise<boolean> {
  const { process } = tool;
  await tool.flush();
  const program = await programOf(programs, process, argv);
  const { code } = await process.clock.idle(process.spawn({ argv, program }).exit);
  return code === 0;
}

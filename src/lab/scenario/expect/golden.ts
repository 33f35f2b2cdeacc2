import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { legendOf, sidesOf } from '../../../base/markup/sides.js';

export interface GoldenRun {
  readonly name: string;
  readonly lines: readonly string[];
}

/** `scenarios/golden/web.txt` for `scenarios/web.yaml`. */
export const goldenPath = (file: string): string =>
  join(dirname(file), 'golden', `${basename(file).replace(/\.ya?ml$/, '')}.txt`);

export const goldenText = (title: string, runs: readonly GoldenRun[]): string =>
  [title, ...runs.flatMap(({ name, lines }) => ['', name, ...lines])].join('\n').concat('\n');

/** Undefined if a scenario has no golden file. */
export async function readGolden(file: string): Promise<string | undefined> {
  try {
    return await readFile(goldenPath(file), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

export async function writeGolden(file: string, text: string): Promise<void> {
  await mkdir(dirname(goldenPath(file)), { recursive: true });
  await writeFile(goldenPath(file), text);
}

export const hasRun = (golden: string, name: string): boolean => sectionOf(golden, name) !== undefined;

export function goldenDifference(golden: string, { name, lines }: GoldenRun): string | undefined {
  const kept = sectionOf(golden, name);
  if (kept === undefined) return `the golden file has no run named "${name}"; --update rewrites it`;
  const index = lines.findIndex((each, at) => each !== kept[at]);
  if (index < 0 && kept.length === lines.length) return undefined;
  const at = index < 0 ? lines.length : index;
  const before = lines.slice(Math.max(0, at - 2), at).map((each) => `  ${each}`);
  return [
    'the timeline differs from the golden file (--update rewrites it):',
    legendOf('the golden file', 'this run'),
    ...before,
    ...sidesOf(kept[at], lines[at], ''),
  ].join('\n');
}

/** Lines below a run's name, up to the next empty one. */
function sectionOf(golden: string, name: string): string[] | undefined {
  const all = golden.split('\n');
  const start = all.findIndex((each, at) => each === name && all[at - 1] === '');
  if (start < 0) return undefined;
  const end = all.indexOf('', start);
  return all.slice(start + 1, end < 0 ? undefined : end);
}

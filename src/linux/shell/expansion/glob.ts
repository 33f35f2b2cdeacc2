import type { FileSystem } from '../../fs/file-system.js';
import { costOfTexts } from '../../process/memory.js';
import type { Process } from '../../process/process.js';
import { byUnits, sorted } from '../../process/sorted.js';
import {
  compilePattern,
  isMagic,
  literalOf,
  matchesPattern,
  type Pattern,
  type PatternText,
} from './pattern.js';

/** Memory of a path in addition to its characters. */
const PATH_COST = 64;
/** The longest path (limits.h(0p)): a longer pattern matches none, and is probably a text with a `*`. */
const PATH_MAX = 4096;
/** Names that it compares before it lets other tasks run. */
const NAMES_AT_ONCE = 256;

type Finder = Pick<Process, 'fs' | 'work' | 'allocate'>;

/** The paths that match a field's pattern, sorted; none if nothing matches or it isn't a pattern. */
export async function globPaths(
  process: Finder,
  cwd: string,
  field: readonly PatternText[],
): Promise<string[]> {
  if (!field.some(({ text, quoted }) => !quoted && /[*?[]/.test(text))) return [];
  if (field.reduce((length, { text }) => length + text.length, 0) > PATH_MAX) return [];
  const segments = splitSegments(field);
  let paths = [''];
  let size = 0;
  for (const [index, segment] of segments.entries()) {
    const pattern = compilePattern(segment);
    const isLast = index === segments.length - 1;
    const longer: string[] = [];
    // `/*/../*` multiplies their number with each step: the process pays for them.
    for (const path of paths) {
      const found = await extend(process, cwd, path, pattern, isLast);
      await process.work(PATH_COST * (1 + found.length));
      const cost = costOfTexts(found);
      process.allocate(cost);
      size += cost;
      for (const one of found) longer.push(one);
    }
    paths = longer;
  }
  process.allocate(-size);
  return sorted(process, paths, byUnits);
}

function splitSegments(field: readonly PatternText[]): PatternText[][] {
  const segments: PatternText[][] = [[]];
  for (const { text, quoted } of field) {
    for (const [index, part] of text.split('/').entries()) {
      if (index > 0) segments.push([]);
      if (part !== '') segments.at(-1)?.push({ text: part, quoted });
    }
  }
  return segments;
}

/** `path` is empty or ends with a slash, except after the last segment. */
async function extend(
  process: Finder,
  cwd: string,
  path: string,
  pattern: Pattern,
  isLast: boolean,
): Promise<string[]> {
  const { fs } = process;
  const end = isLast ? '' : '/';
  if (!isMagic(pattern)) {
    const longer = path + literalOf(pattern);
    return longer === path || !isLast || (await exists(fs, absolute(cwd, longer))) ? [longer + end] : [];
  }
  const names = await fs.readdir(absolute(cwd, path)).catch(() => []);
  const showHidden = pattern[0]?.kind === 'char' && pattern[0].char === '.';
  const found: string[] = [];
  for (const [index, name] of names.entries()) {
    if (index % NAMES_AT_ONCE === NAMES_AT_ONCE - 1) await process.work(0);
    if ((!showHidden && name.startsWith('.')) || !matchesPattern(pattern, name)) continue;
    if (isLast || (await isDirectory(fs, absolute(cwd, path + name)))) found.push(path + name + end);
  }
  return found;
}

/** Without a trailing slash; not normalized otherwise. */
export const absolute = (cwd: string, path: string): string =>
  path.startsWith('/') ? path : `${cwd.replace(/\/$/, '')}/${path}`.replace(/\/$/, '') || '/';

const exists = (fs: FileSystem, path: string): Promise<boolean> =>
  fs.lstat(path).then(
    () => true,
    () => false,
  );

const isDirectory = (fs: FileSystem, path: string): Promise<boolean> =>
  fs.stat(path).then(
    ({ kind }) => kind === 'directory',
    () => false,
  );

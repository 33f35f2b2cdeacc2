import type { FileSystem } from '../../fs/file-system.js';
import { compilePattern, isMagic, literalOf, matchesPattern, type PatternText } from './pattern.js';

/** The paths that a field's pattern finds, sorted; none if it finds nothing or is no pattern. */
export async function globPaths(
  fs: FileSystem,
  cwd: string,
  field: readonly PatternText[],
): Promise<string[]> {
  if (!field.some(({ text, quoted }) => !quoted && /[*?[]/.test(text))) return [];
  const segments = splitSegments(field);
  let paths = [''];
  for (const [index, segment] of segments.entries()) {
    const isLast = index === segments.length - 1;
    const found = await Promise.all(paths.map((path) => extend(fs, cwd, path, segment, isLast)));
    paths = found.flat();
  }
  return paths.sort(compareBytes);
}

/** The field cut at its slashes; the slashes stay with what they end. */
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
  fs: FileSystem,
  cwd: string,
  path: string,
  segment: readonly PatternText[],
  isLast: boolean,
): Promise<string[]> {
  const end = isLast ? '' : '/';
  const pattern = compilePattern(segment);
  if (!isMagic(pattern)) {
    const longer = path + literalOf(pattern);
    return longer === path || !isLast || (await exists(fs, absolute(cwd, longer))) ? [longer + end] : [];
  }
  const names = await fs.readdir(absolute(cwd, path)).catch(() => []);
  const showHidden = pattern[0]?.kind === 'char' && pattern[0].char === '.';
  const matching = names.filter(
    (name) => (showHidden || !name.startsWith('.')) && matchesPattern(pattern, name),
  );
  if (isLast) return matching.map((name) => path + name);
  const kinds = await Promise.all(matching.map((name) => isDirectory(fs, absolute(cwd, path + name))));
  return matching.filter((_, index) => kinds[index]).map((name) => path + name + end);
}

/** Without a slash at its end; not normalized otherwise. */
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

const compareBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

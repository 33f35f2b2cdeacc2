import { readFile } from 'node:fs/promises';
import { posix } from 'node:path';

/** The host's mount points below a path without links, relative to it, parents first (/proc/self/mountinfo). */
export async function hostMountsBelow(path: string): Promise<readonly string[]> {
  const table = await readFile('/proc/self/mountinfo', 'utf8').catch(() => '');
  const points = table.split('\n').map((line) => decoded(line.split(' ')[4] ?? ''));
  const below = points.filter((point) => point.startsWith(path === '/' ? '/' : `${path}/`));
  return [...new Set(below)].map((point) => posix.relative(path, point)).sort();
}

const decoded = (point: string): string =>
  point.replace(/\\(\d{3})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 8)));

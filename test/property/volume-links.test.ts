import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { HostPlaces } from '../../src/base/host/host-places.js';
import { removeBelow, resolvePath, rootAt } from '../../src/base/host/pinned.js';
import { createNodeFiles } from '../../src/kubelet/disk/node-files.js';
import fc from '../support/properties.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, ofAll } from '../support/thorough.js';

const temporary = useTemporaryDirectories();
const RUNS = 1000;
const runs = countOf(RUNS, 50);

const name = fc.constantFrom('a', 'b', 'c');
const path = fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/'));
const upwards = fc
  .array(fc.constantFrom('a', 'b', 'c', '..', '.', '', 'outside', 'secret'), { minLength: 1, maxLength: 6 })
  .map((parts) => parts.join('/'));
const entry = fc.record({
  path,
  kind: fc.constantFrom('directory', 'file', 'link', 'link', 'away'),
  target: upwards,
});

/** A volume with a random tree, next to a directory that nobody was given. */
function makeTree(entries: readonly { path: string; kind: string; target: string }[]) {
  const home = realpathSync(temporary());
  const [volume, outside] = [join(home, 'volume'), join(home, 'outside')];
  for (const directory of [volume, outside]) mkdirSync(directory);
  writeFileSync(join(outside, 'secret'), 'secret');
  for (const { path, kind, target } of entries) {
    const place = join(volume, path);
    try {
      // What a link above it leads to isn't part of the tree.
      if (realpathSync(join(place, '..')) !== join(place, '..')) continue;
      if (kind === 'directory') mkdirSync(place);
      else if (kind === 'file') writeFileSync(place, 'inside', { flag: 'wx' });
      else symlinkSync(kind === 'link' ? target || '.' : join(outside, target), place);
    } catch {
      // Something is there, or nothing to put it in.
    }
  }
  return { home, volume, outside };
}

/** Where a path leads in a tree that stands still, by the rules in other words. */
function expected(volume: string, path: string): string {
  const todo = path.split('/');
  let here: string[] = [];
  for (let links = 0; todo.length > 0; ) {
    const next = todo.shift() as string;
    if (next === '' || next === '.') continue;
    if (next === '..') {
      if (here.length === 0) return 'leaves';
      here = here.slice(0, -1);
      continue;
    }
    const place = join(volume, ...here, next);
    const stat = lstatSync(place, { throwIfNoEntry: false });
    if (stat === undefined) return 'missing';
    if (!stat.isSymbolicLink()) {
      if (!stat.isDirectory() && todo.some((part) => part !== '' && part !== '.')) return 'no directory';
      here = [...here, next];
      continue;
    }
    if (++links > 40) return 'loop';
    const target = readlinkSync(place);
    if (target.startsWith('/')) return 'leaves';
    todo.unshift(...target.split('/'));
  }
  return `/${here.join('/')}`;
}

const CODES: Readonly<Record<string, string>> = {
  EXDEV: 'leaves',
  ENOENT: 'missing',
  ENOTDIR: 'no directory',
  ELOOP: 'loop',
};

async function found(volume: string, path: string): Promise<string> {
  try {
    const names = await resolvePath(await rootAt(volume), path, { follow: () => {}, isWhole: false });
    return `/${names.join('/')}`;
  } catch (error) {
    return CODES[(error as NodeJS.ErrnoException).code ?? ''] ?? String(error);
  }
}

const outsideOf = (outside: string) => readdirSync(outside, { recursive: true }).sort();

it(`a path is resolved below a volume: ${ofAll(runs, RUNS, 'trees')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), path, async (entries, path) => {
      const { volume } = makeTree(entries);
      expect(await found(volume, path)).toBe(expected(volume, path));
    }),
    { numRuns: runs },
  );
});

it(`a subPath is inside its volume, even a new one: ${ofAll(runs, RUNS, 'trees')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), path, async (entries, path) => {
      const { home, volume, outside } = makeTree(entries);
      const files = createNodeFiles({ rootDir: join(home, 'kubelet'), podLogsDir: join(home, 'logs') });
      const mount = { uid: 'u', volume: 'v', container: 'c', index: 0, hostPath: volume, path };
      const part = await files.subPath(mount).catch(() => undefined);
      expect(outsideOf(outside)).toEqual(['secret']);
      if (part === undefined) return;
      expect(realpathSync(part)).toBe(part);
      expect([volume, join(home, 'kubelet/pods/u')].some((base) => `${part}/`.startsWith(`${base}/`))).toBe(
        true,
      );
      if (lstatSync(part).isFile()) expect(readFileSync(part, 'utf8')).toBe('inside');
    }),
    { numRuns: runs },
  );
});

it(`a mount below a directory that containers write stays there: ${ofAll(runs, RUNS, 'trees')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), path, async (entries, path) => {
      const { volume, outside } = makeTree(entries);
      const places = new HostPlaces();
      await places.write(await places.find(volume));
      const place = await places.find(join(volume, path)).catch(() => undefined);
      expect(outsideOf(outside)).toEqual(['secret']);
      if (place !== undefined) expect(`${place.path}/`.startsWith(`${volume}/`)).toBe(true);
    }),
    { numRuns: runs },
  );
});

it(`a tree is removed without the targets of its links: ${ofAll(runs, RUNS, 'trees')}`, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(entry, { maxLength: 12 }), async (entries) => {
      const { home, volume, outside } = makeTree(entries);
      await removeBelow(await rootAt(home), ['volume']);
      expect(existsSync(volume)).toBe(false);
      expect(readdirSync(home)).toEqual(['outside']);
      expect(outsideOf(outside)).toEqual(['secret']);
    }),
    { numRuns: runs },
  );
});

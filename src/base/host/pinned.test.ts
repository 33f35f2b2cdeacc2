import { execFileSync } from 'node:child_process';
import { constants, existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { isThorough } from '../../../test/support/thorough.js';
import { makeBelow, openBelow, removeBelow, rootAt, withPinned } from './pinned.js';

const temporary = useTemporaryDirectories();

it.runIf(isThorough)('removes a tree that is deeper than a process has descriptors', async () => {
  const directory = temporary();
  const root = await rootAt(directory);
  // A path has at most 4096 characters: it is made a step at a time.
  const script = `const { mkdirSync } = require('node:fs');
    for (const name of ['top', ...Array(1500).fill('d')]) { mkdirSync(name); process.chdir(name); }`;
  execFileSync(process.execPath, ['-e', script], { cwd: directory });
  await removeBelow(root, ['top']);
  expect(readdirSync(directory)).toEqual([]);
  await removeBelow(root, ['top']);
});

it.each(['', '.', '..', 'a/b', '/', 'a\0'])('takes %j for no name', async (name) => {
  const root = await rootAt(temporary());
  const use = async () => {};
  await expect(withPinned(root, [name], use)).rejects.toThrow('is not the name of a file');
  await expect(makeBelow(root, [name])).rejects.toThrow('is not the name of a file');
  await expect(openBelow(root, [name], constants.O_RDONLY)).rejects.toThrow('is not the name of a file');
  await expect(removeBelow(root, [name])).rejects.toThrow('is not the name of a file');
});

it('opens regular files only, and waits for none', async () => {
  const directory = temporary();
  const root = await rootAt(directory);
  execFileSync('mkfifo', [join(directory, 'pipe')]);
  writeFileSync(join(directory, 'file'), 'text');
  symlinkSync('file', join(directory, 'link'));
  symlinkSync('new', join(directory, 'dangling'));
  await expect(openBelow(root, ['pipe'], constants.O_RDONLY)).rejects.toThrow('is not a regular file');
  await expect(openBelow(root, ['link'], constants.O_RDONLY)).rejects.toThrow('ELOOP');
  await expect(openBelow(root, ['dangling'], constants.O_WRONLY | constants.O_CREAT)).rejects.toThrow(
    'ELOOP',
  );
  expect(existsSync(join(directory, 'new'))).toBe(false);
});

it('a root that was replaced is not used', async () => {
  const [directory, other] = [temporary(), temporary()];
  const place = join(directory, 'root');
  mkdirSync(place);
  const root = await rootAt(place);
  const read = () => withPinned(root, [], ({ path }) => Promise.resolve(readdirSync(path)));
  expect(await read()).toEqual([]);
  execFileSync('mv', [place, `${place}2`]);
  symlinkSync(other, place);
  await expect(read()).rejects.toThrow();
  execFileSync('rm', [place]);
  mkdirSync(place);
  await expect(read()).rejects.toThrow('a link has taken its place');
  execFileSync('rmdir', [place]);
  execFileSync('mv', [`${place}2`, place]);
  expect(await read()).toEqual([]);
});

import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { makeDirectory } from './make-directory.js';

const root = useTemporaryDirectory();

test('makes what is missing and tells the first of it', async () => {
  expect(await makeDirectory(join(root, 'a/b/c'), 0o750)).toBe(join(root, 'a'));
  expect(statSync(join(root, 'a/b/c')).mode & 0o777).toBe(0o750);
  expect(await makeDirectory(join(root, 'a/b/c'))).toBeUndefined();
  expect(await makeDirectory(join(root, 'a/b/d'))).toBe(join(root, 'a/b/d'));
});

test('makes a directory that others make at the same time', async () => {
  const made = Array.from({ length: 20 }, (_, index) => makeDirectory(join(root, `at/once/${index % 2}`)));
  await Promise.all(made);
  expect(statSync(join(root, 'at/once/1')).isDirectory()).toBe(true);
});

test('rejects for a file in the way', async () => {
  writeFileSync(join(root, 'file'), '');
  await expect(makeDirectory(join(root, 'file'))).rejects.toMatchObject({ code: 'EEXIST' });
  await expect(makeDirectory(join(root, 'file/b'))).rejects.toMatchObject({ code: 'ENOTDIR' });
});

test.runIf(existsSync('/proc/self'))('rejects where none can be made', async () => {
  await expect(makeDirectory('/proc/mockri/a')).rejects.toMatchObject({ code: 'ENOENT' });
});

import { rmSync, statSync } from 'node:fs';
import { afterEach, expect, it, vi } from 'vitest';
import { makeTemporaryDirectory } from './temporary-directory.js';

afterEach(() => vi.unstubAllEnvs());

it('makes a new directory', () => {
  const made = [makeTemporaryDirectory('mockri-a-'), makeTemporaryDirectory('mockri-a-')];
  expect(new Set(made).size).toBe(2);
  for (const directory of made) {
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    rmSync(directory, { recursive: true });
  }
});

it('names the directory in which it can make none', () => {
  vi.stubEnv('TMPDIR', '/none');
  expect(() => makeTemporaryDirectory('x')).toThrow(
    '/none: no temporary directory can be made here (ENOENT); set TMPDIR to another directory',
  );
});

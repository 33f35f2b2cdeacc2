import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach } from 'vitest';

const make = (): string => mkdtempSync(join(tmpdir(), 'mockri-'));
const remove = (directory: string): void => rmSync(directory, { recursive: true, force: true });

/** Creates temporary directories and removes them after the test. Call it at the top of a test file. */
export function useTemporaryDirectories(): () => string {
  const made: string[] = [];
  afterEach(() => {
    for (const directory of made.splice(0)) remove(directory);
  });
  return () => {
    const directory = make();
    made.push(directory);
    return directory;
  };
}

/** One temporary directory for all tests of a file. Call it at the top of the file. */
export function useTemporaryDirectory(): string {
  const directory = make();
  afterAll(() => remove(directory));
  return directory;
}

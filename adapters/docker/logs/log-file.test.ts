import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { LogFile } from './log-file.js';

const temporary = useTemporaryDirectories();
let directory: string;
let path: string;
beforeEach(async () => {
  directory = temporary();
  path = join(directory, '0.log');
});

const unexpected = (error: unknown): void => {
  throw error;
};

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

async function append(file: LogFile, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await file.append(Buffer.from(`line ${index}\n`));
}

it('loses no line that comes while the file is opened', async () => {
  const file = new LogFile(() => open(path, 'a'), unexpected);
  await append(file, 0, 100);
  await file.flush();
  expect(await readFile(path, 'utf8')).toBe(lines(0, 100));
  await file.close();
});

it('writes to the file that has the path after it was reopened', async () => {
  const file = new LogFile(() => open(path, 'a'), unexpected);
  await append(file, 0, 10);
  await file.flush();
  await rename(path, `${path}.1`);
  await append(file, 10, 20);
  await file.reopen();
  await append(file, 20, 30);
  await file.flush();
  await file.close();
  expect(await readFile(`${path}.1`, 'utf8')).toBe(lines(0, 20));
  expect(await readFile(path, 'utf8')).toBe(lines(20, 30));
});

it('leaves out what has no space, and says so once until there is some again', async () => {
  const failures: unknown[] = [];
  const file = new LogFile(
    () => open('/dev/full', 'a'),
    (error) => failures.push(error),
  );
  for (let turn = 0; turn < 3; turn++) {
    await append(file, 0, 10);
    await file.flush();
  }
  expect(failures).toMatchObject([{ code: 'ENOSPC' }]);
  await file.close();
});

it('continues when its directory exists again', async () => {
  const failures: unknown[] = [];
  const late = join(directory, 'none', '0.log');
  const file = new LogFile(
    () => open(late, 'a'),
    (error) => failures.push(error),
  );
  const fail = async (from: number) => {
    await append(file, from, from + 1);
    await file.flush();
  };
  await fail(0);
  await mkdir(join(directory, 'none'));
  await append(file, 1, 3);
  await file.flush();
  expect(await readFile(late, 'utf8')).toBe(lines(1, 3));
  await file.close();
  await rm(join(directory, 'none'), { recursive: true });
  await fail(3);
  expect(failures).toMatchObject([{ code: 'ENOENT' }, { code: 'ENOENT' }]);
});

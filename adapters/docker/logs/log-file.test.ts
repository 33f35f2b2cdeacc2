import { mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { LogFile } from './log-file.js';

let directory: string;
let path: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'mockri-log-'));
  path = join(directory, '0.log');
});
afterEach(() => rm(directory, { recursive: true }));

const lines = (from: number, to: number): string =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

async function append(file: LogFile, from: number, to: number): Promise<void> {
  for (let index = from; index < to; index++) await file.append(Buffer.from(`line ${index}\n`));
}

it('loses no line that comes while the file is opened', async () => {
  const file = new LogFile(path);
  await append(file, 0, 100);
  await file.flush();
  expect(await readFile(path, 'utf8')).toBe(lines(0, 100));
  await file.close();
});

it('writes to the file that has the path after it was reopened', async () => {
  const file = new LogFile(path);
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

it('says when it can not be written', async () => {
  const file = new LogFile(join(directory, 'none', '0.log'));
  await append(file, 0, 1);
  await expect(file.flush()).rejects.toThrow('ENOENT');
});

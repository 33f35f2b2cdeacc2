import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { rootAt } from '../../base/host/pinned.js';
import { createPayloads } from './payloads.js';

const temporary = useTemporaryDirectories();
const files = (given: Readonly<Record<string, string>>) =>
  new Map(Object.entries(given).map(([path, text]) => [path, { content: Buffer.from(text), mode: 0o644 }]));

const NOW = BigInt(Date.UTC(2026, 10, 24, 1, 2, 3)) * 1_000_000n;
const VOLUME = ['pods', 'u1', 'config'];

function setup() {
  const root = temporary();
  const payloads = createPayloads(() => rootAt(root));
  const volume = join(root, ...VOLUME);
  const write = (given: Readonly<Record<string, string>>) => payloads.write(VOLUME, files(given), NOW);
  const read = (path: string) => readFileSync(join(volume, path), 'utf8');
  const shown = () => readdirSync(volume).filter((name) => !name.startsWith('..'));
  return { volume, payloads, write, read, shown };
}

test('a volume has the files of the last payload, and no others', async () => {
  const { write, read, shown } = setup();
  await write({ a: '1', 'sub/b': '2' });
  expect([read('a'), read('sub/b')]).toEqual(['1', '2']);
  await write({ 'sub/b': '3', c: '4' });
  expect([read('sub/b'), read('c')]).toEqual(['3', '4']);
  expect(shown().sort()).toEqual(['c', 'sub']);
});

test('the files change all at once, by a link to a directory named after the time', async () => {
  const { volume, write } = setup();
  await write({ a: '1', 'sub/b': '2' });
  const current = readlinkSync(join(volume, '..data'));
  expect(current).toMatch(/^\.\.2026_11_24_01_02_03\.\w+$/);
  expect(readdirSync(volume).sort()).toEqual([current, '..data', 'a', 'sub'].sort());
  expect([readlinkSync(join(volume, 'a')), readlinkSync(join(volume, 'sub'))]).toEqual([
    '..data/a',
    '..data/sub',
  ]);
  const held = openSync(join(volume, 'a'), 'r');
  await write({ a: '3' });
  expect(readFileSync(held, 'utf8')).toBe('1');
  closeSync(held);
  expect(readdirSync(volume).sort()).toEqual([readlinkSync(join(volume, '..data')), '..data', 'a'].sort());
});

test('what did not change is not written again, until the pod is gone', async () => {
  const { volume, payloads, write } = setup();
  const current = () => readlinkSync(join(volume, '..data'));
  await write({ a: '1' });
  const first = current();
  await write({ a: '1' });
  expect(current()).toBe(first);
  payloads.forget('u1');
  await write({ a: '1' });
  expect(current()).not.toBe(first);
});

test.each(['../w', 'a/../../w', '/w', 'a//b', '..data', 'a\0b', ''])('refuses the path %j', async (path) => {
  const { write } = setup();
  await expect(write({ [path]: 'x' })).rejects.toThrow('is not a path in a volume');
});

test.each([
  ['a file', 'a', (outside: string, place: string) => symlinkSync(join(outside, 'file'), place)],
  ['a directory', 'sub', (outside: string, place: string) => symlinkSync(outside, place)],
  ['the data', '..data', (outside: string, place: string) => symlinkSync(outside, place)],
  ['the next data', '..data_tmp', (outside: string, place: string) => symlinkSync(outside, place)],
])('a link in the place of %s leads the next files nowhere else', async (_, name, swap) => {
  const { volume, write, read } = setup();
  const outside = temporary();
  writeFileSync(join(outside, 'file'), 'kept');
  await write({ a: '1', 'sub/file': '2' });
  rmSync(join(volume, name), { recursive: true, force: true });
  swap(outside, join(volume, name));
  await write({ a: '3', 'sub/file': '4' });
  expect([read('a'), read('sub/file')]).toEqual(['3', '4']);
  expect(readdirSync(outside)).toEqual(['file']);
  expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('kept');
});

test('a link in the place of the volume is an error', async () => {
  const { volume, write } = setup();
  const outside = temporary();
  await write({ a: '1' });
  rmSync(volume, { recursive: true });
  symlinkSync(outside, volume);
  await expect(write({ a: '2' })).rejects.toThrow('ENOTDIR');
  expect(readdirSync(outside)).toEqual([]);
});

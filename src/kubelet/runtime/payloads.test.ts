import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import { createPayloads, insideOf } from './payloads.js';

const temporary = useTemporaryDirectories();
const files = (given: Readonly<Record<string, string>>) =>
  new Map(Object.entries(given).map(([path, text]) => [path, Buffer.from(text)]));

function setup() {
  const root = temporary();
  const payloads = createPayloads((uid, volume) => join(root, uid, volume));
  const read = (path: string) => readFileSync(join(root, 'u1/config', path), 'utf8');
  return { root, payloads, read };
}

test('a volume has the files of the last payload, and no others', async () => {
  const { root, payloads, read } = setup();
  await payloads.write('u1', 'config', files({ a: '1', 'sub/b': '2' }));
  expect([read('a'), read('sub/b')]).toEqual(['1', '2']);
  await payloads.write('u1', 'config', files({ 'sub/b': '3', c: '4' }));
  expect([read('sub/b'), read('c')]).toEqual(['3', '4']);
  expect(readdirSync(join(root, 'u1/config')).sort()).toEqual(['c', 'sub']);
});

test('what did not change is not written again, until the pod is gone', async () => {
  const { root, payloads } = setup();
  const changed = () => statSync(join(root, 'u1/config/a')).mtimeMs;
  await payloads.write('u1', 'config', files({ a: '1' }));
  const first = changed();
  await payloads.write('u1', 'config', files({ a: '1' }));
  expect(changed()).toBe(first);
  payloads.forget('u1');
  await payloads.write('u1', 'config', files({ a: '1' }));
  expect(changed()).toBeGreaterThan(first);
});

test('a path stays in its directory', () => {
  expect(insideOf('/v', 'a/../b')).toBe('/v/b');
  expect(() => insideOf('/v', '../w')).toThrow('path ../w leaves its volume');
  expect(() => insideOf('/v', '../vw/a')).toThrow('leaves');
});

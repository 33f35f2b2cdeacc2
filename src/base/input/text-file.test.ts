import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { LARGEST_FILE, readTextFile } from './text-file.js';
import { InputError } from './yaml.js';

const root = useTemporaryDirectory();

function write(content: string | Uint8Array): string {
  const file = join(root, 'file');
  writeFileSync(file, content);
  return file;
}

test('reads text, with or without a byte order mark', () => {
  expect(readTextFile(write('a: ü\n'))).toBe('a: ü\n');
  expect(readTextFile(write('\ufeffa: 1\n'))).toBe('a: 1\n');
  expect(readTextFile(write(' '.repeat(LARGEST_FILE)))).toHaveLength(LARGEST_FILE);
});

test.each([
  ['a missing file', () => join(root, 'nothing'), /can't be read: there is no such file$/],
  ['a directory', () => root, /can't be read: it is a directory/],
  ['a path through a file', () => join(write(''), 'x'), /part of the path is not a directory$/],
  ['too large a file', () => write(' '.repeat(LARGEST_FILE + 1)), /it has more than 1048576 bytes/],
  ['bytes that are no UTF-8', () => write(Buffer.from([0x61, 0xff, 0xfe])), /it is not text/],
  ['zero bytes', () => write('a\0b'), /it is not text/],
])('refuses %s', (_, make, message) => {
  const file = make();
  const reading = () => readTextFile(file, '--config');
  expect(reading).toThrow(InputError);
  expect(reading).toThrow(message);
  expect(reading).toThrow(`--config: ${file}: `);
});

test.runIf(existsSync('/dev/zero'))('refuses a device, which may have no end', () => {
  expect(() => readTextFile('/dev/zero', '--config', 5_000_000)).toThrow(
    /it is a device; give a regular file/,
  );
});

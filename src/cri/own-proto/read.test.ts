import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { readProto } from './read.js';

const directory = useTemporaryDirectory();

test('two files of a directory that define the same message are refused', () => {
  const write = (file: string, messages: string) =>
    writeFileSync(join(directory, file), `syntax = "proto3"; package runtime.v1; ${messages}`);
  write('a.proto', 'message Quota { int64 hard = 1; }');
  write('b.proto', 'message Tier { Quota quota = 1; }');
  expect([...readProto(directory).messages.keys()]).toEqual(['Quota', 'Tier']);
  write('b.proto', 'message Quota { int64 soft = 2; }');
  expect(() => readProto(directory)).toThrow(
    `${directory}/b.proto: message Quota is defined in another file of the directory too`,
  );
});

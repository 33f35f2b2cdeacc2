import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectory } from '../../../test/support/temporary.js';
import { packagePath } from '../../base/input/package-path.js';
import { readTextFile } from '../../base/input/text-file.js';
import { changesOf } from './changes.js';
import { NewFieldFinder } from './new-fields.js';
import { readProto } from './read.js';

const directory = useTemporaryDirectory();
const shipped = readProto(packagePath('proto'));

/** A finder for the shipped file with a new field of mounts, and a new value of an enum. */
function finder(): NewFieldFinder {
  const path = join(directory, 'next.proto');
  const text = readTextFile(packagePath('proto/runtime/v1/api.proto'))
    .replace('message Mount {', '$& string tier = 40;')
    .replace('enum Protocol {', '$& QUIC = 7;');
  writeFileSync(path, text);
  const own = readProto(path);
  const values = (name: string) => own.enums.get(name) ?? new Map<string, number>();
  return new NewFieldFinder(own, shipped, changesOf(path, shipped, own), {
    message: () => undefined,
    values,
  });
}

function found(type: string, message: object): object {
  const fields = {};
  finder().find(type, message, 'request', fields);
  return fields;
}

test('a new field of a message in a list has its place', () => {
  const mounts = [{ tier: '' }, { tier: 'fast', readonly: true }];
  expect(found('CreateContainerRequest', { config: { mounts } })).toEqual({
    'request.config.mounts[1].tier': 'fast',
  });
});

test('of a known field, only values that the shipped enum lacks are new', () => {
  const portMappings = [{ protocol: 1 }, { protocol: 7 }];
  expect(found('RunPodSandboxRequest', { config: { portMappings } })).toEqual({
    'request.config.port_mappings[1].protocol': 'QUIC',
  });
});

test('a call shows at most twenty new fields, and long values are cut', () => {
  const mounts = Array.from({ length: 100 }, () => ({ tier: 'x'.repeat(5000) }));
  const values = Object.values(found('CreateContainerRequest', { config: { mounts } }));
  expect(values).toHaveLength(20);
  expect(values[0]).toMatch(/^"x{999}…$/);
});

test('a message that cannot have new fields is not looked at', () => {
  const all = finder();
  expect([all.has('CreateContainerRequest'), all.has('VersionRequest')]).toEqual([true, false]);
});

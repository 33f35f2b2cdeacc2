import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { useTemporaryDirectories } from '../../../test/support/temporary.js';
import type { TraceDifference } from './compare.js';
import { explain, readKnown } from './known.js';

const temporary = useTemporaryDirectories();

function read(text: string) {
  const file = join(temporary(), 'known.yaml');
  writeFileSync(file, text);
  return readKnown(file);
}

const difference: TraceDifference = {
  method: 'StartContainer',
  aspect: 'code',
  field: '',
  left: 'UNKNOWN: it runs',
  right: 'FAILED_PRECONDITION: it runs',
  step: 0,
};

test('an entry explains what fits all of it', () => {
  const entry = (text: string) => read(`version: 1\nknown:\n  - { method: 'Start*', why: because${text} }`);
  expect(explain(entry(''), difference)?.why).toBe('because');
  expect(explain(entry(", aspect: code, left: 'UNKNOWN: *'"), difference)).toBeDefined();
  expect(explain(entry(', aspect: text'), difference)).toBeUndefined();
  expect(explain(entry(", right: 'UNKNOWN: *'"), difference)).toBeUndefined();
});

test('a mistake is named with its line', () => {
  expect(() => read('version: 1\nknown:\n  - method: A\n    wyh: b\n')).toThrow(
    /known.yaml:4:5: known\[0\].wyh/,
  );
  expect(() => read('version: 2\nknown: []\n')).toThrow(/version/);
});

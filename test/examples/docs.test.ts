import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  'test/examples/testing.test.ts',
  'test/peers/testing/restart.sh',
  'test/peers/testing/go/mockri_test.go',
  'test/peers/testing/python/test_retry.py',
])('docs/testing.md shows %s as it runs', (path) => {
  expect(read('docs/testing.md')).toContain(`\n${read(path)}\`\`\`\n`);
});

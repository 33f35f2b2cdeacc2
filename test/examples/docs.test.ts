import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');

test.each([
  ['docs/testing.md', 'test/examples/testing.test.ts'],
  ['docs/testing.md', 'test/peers/suites/testing/restart.sh'],
  ['docs/testing.md', 'test/peers/suites/testing/go/mockri_test.go'],
  ['docs/testing.md', 'test/peers/suites/testing/python/test_retry.py'],
  ['docs/testing.md', 'test/peers/suites/testing/java/src/test/java/MockriTest.java'],
  ['docs/testing.md', 'test/examples/library.test.ts'],
])('%s shows %s as it runs', (page, path) => {
  expect(read(page)).toContain(`\n${read(path)}\`\`\`\n`);
});

import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the README has the number of bundled scenarios', () => {
  const scenarios = readdirSync(`${root}scenarios`).filter((file) => file.endsWith('.yaml'));
  expect(readFileSync(`${root}README.md`, 'utf8')).toContain(`lists all ${scenarios.length} scenarios`);
});

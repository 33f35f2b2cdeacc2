import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));

test('the README has the number of bundled scenarios', () => {
  const scenarios = readdirSync(`${root}scenarios`).filter((file) => file.endsWith('.yaml'));
  expect(readFileSync(`${root}README.md`, 'utf8')).toContain(`lists all ${scenarios.length} scenarios`);
});

test('the README fits two screens, and the pages for users are few and short', () => {
  const lines = readFileSync(`${root}README.md`, 'utf8').split('\n');
  expect(lines.length).toBeLessThan(120);
  const pages = readdirSync(`${root}docs`).filter(
    (file) => file.endsWith('.md') && file !== 'architecture.md',
  );
  expect(pages.length).toBeLessThanOrEqual(20);
  const sizes = pages.map((page) => readFileSync(`${root}docs/${page}`).length);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(350_000);
});

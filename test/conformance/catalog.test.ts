import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { invariantOf } from '../../src/suite/conformance/check.js';
import { allChecks } from '../../src/suite/conformance/specs/index.js';
import { catalogPage } from './catalog-page.js';

const page = fileURLToPath(new URL('../../docs/results/invariants.md', import.meta.url));

test('docs/results/invariants.md matches the checks; `npm run gen:invariants` writes it', () => {
  const text = catalogPage(allChecks);
  if (process.env.UPDATE_DOCS) writeFileSync(page, text);
  expect(readFileSync(page, 'utf8')).toBe(text);
});

test('each of the 67 invariants has a check, and check ids are unique', () => {
  const ids = allChecks.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  const invariants = [...new Set(ids.map(invariantOf))].sort();
  expect(invariants).toEqual(
    Array.from({ length: 67 }, (_, index) => `INV-${String(index + 1).padStart(2, '0')}`),
  );
});

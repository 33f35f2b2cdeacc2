import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { loadScenario } from '../../src/lab/scenario/file/load.js';
import { libraryPage } from '../support/scenario/library-page.js';

/** `npx vitest run test/scenarios/library-page.test.ts -u` rewrites the page. */
test('the page on incidents is up to date with the scenarios', async () => {
  const files = readdirSync('scenarios').filter((file) => file.endsWith('.yaml'));
  expect(files.length).toBeGreaterThanOrEqual(20);
  const scenarios = await Promise.all(files.sort().map((file) => loadScenario(`scenarios/${file}`)));
  const page = readFileSync('docs/incidents.md', 'utf8');
  await expect(libraryPage(scenarios, page)).toMatchFileSnapshot('../../docs/incidents.md');
});

import { readdirSync } from 'node:fs';
import { expect, it } from 'vitest';
import { loadScenario } from './load.js';

const folder = new URL('../../../../scenarios/', import.meta.url).pathname;
// The folder known/ has no scenarios.
const files = readdirSync(folder).filter((file) => file.endsWith('.yaml'));

it.each(files)('%s is data alone, as it is sent to worker threads', async (file) => {
  const scenario = await loadScenario(`${folder}${file}`);
  expect(structuredClone(scenario)).toEqual(scenario);
});

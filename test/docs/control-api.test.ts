import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { LARGEST_FILE } from '../../src/base/input/text-file.js';
import { LARGEST_BODY } from '../../src/runtime/control/body.js';
import { MOST_RULES } from '../../src/runtime/faults/language/schema.js';
import { startMockri } from '../../src/testing/index.js';
import { allRoutes } from '../support/control/all-routes.js';

const read = (page: string) => readFileSync(new URL(`../../docs/${page}`, import.meta.url), 'utf8');

test('docs/control-api.md has exactly the existing routes', () => {
  const written = [...read('control-api.md').matchAll(/^\| `((?:GET|POST|PUT|DELETE) \S+)`/gm)];
  expect(written.map(([, route]) => route).sort()).toEqual(
    allRoutes.map(({ method, path }) => `${method} ${path}`).sort(),
  );
});

test('the pages state the enforced limits', () => {
  expect([LARGEST_BODY, LARGEST_FILE, MOST_RULES]).toEqual([2 ** 20, 2 ** 20, 1000]);
  expect(read('control-api.md')).toContain('a body of more than 1 MiB');
  expect(read('faults.md').replaceAll('\n', ' ')).toMatch(
    /At most 1,000 rules can be in force.* a file can have 1 MiB/,
  );
});

test('docs/control-api.md lists exactly the metrics that the server has', async () => {
  await using mockri = await startMockri({ control: true });
  const text = await (await fetch(`${mockri.control}/metrics`)).text();
  const exposed = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => `${name} ${type}`);
  const written = [...read('control-api.md').matchAll(/^\| `(mockri_\w+)`\s*\| (\w+)/gm)];
  expect(written.map(([, name, type]) => `${name} ${type}`).sort()).toEqual(exposed.sort());
});

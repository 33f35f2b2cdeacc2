import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8');
const rows = [...read('docs/incidents.md').matchAll(/^\| (.+?) +\| .+? +\| (`.+`) +\|$/gm)];

test('the rows of docs/incidents.md are found', () => {
  expect(rows.length).toBeGreaterThan(15);
});

test.each(rows.map(([, status = '', names = '']) => [status, names] as const))(
  'docs/incidents.md: a scenario for %s shows it',
  (status, names) => {
    const [shown = ''] = /[A-Z]\w+/.exec(status) ?? [];
    for (const [, name = ''] of names.matchAll(/`([a-z0-9-]+)`/g))
      expect(read(`scenarios/golden/${name}.txt`), name).toMatch(
        // A node that is Ready all the time has no line about it.
        shown === 'Ready' ? /./ : new RegExp(`\\b${shown}\\b|[1-9]\\d*\\.\\d+s +node +Ready=False`),
      );
  },
);

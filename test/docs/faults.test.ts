import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { actionTable } from '../../src/runtime/faults/language/action-table.js';

const page = readFileSync(new URL('../../docs/faults.md', import.meta.url), 'utf8');

test('docs/faults.md lists the targets of each action, with the default first', () => {
  const [, section = ''] = /## Actions\n(.+?)\n## /s.exec(page) ?? [];
  const rows = [...section.matchAll(/^\| (`.+?) +\| ([a-z, -]+?) +\|/gm)];
  const listed = rows.flatMap(([, actions = '', on = '']) =>
    [...actions.matchAll(/`([a-z]+)/gi)].map(([, action]) => [action, on.split(', ')]),
  );
  const allowed = Object.entries(actionTable).map(([action, { on }]) => [action, on]);
  expect(Object.fromEntries(listed)).toEqual(Object.fromEntries(allowed));
});

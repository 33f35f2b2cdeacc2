import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');

/** The rows of the table below a heading, as lists of cells. */
function tableBelow(heading: string): string[][] {
  const [, section = ''] = page.split(`## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) =>
    row
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

test('every path that the architecture page names exists', () => {
  const paths = [...page.matchAll(/`((?:src|adapters|test|proto|docs)\/[\w./-]*)`/g)].map(
    ([, path = '']) => path,
  );
  expect(paths.length).toBeGreaterThan(50);
  expect(paths.filter((path) => !existsSync(join(root, path)))).toEqual([]);
});

test('its table of layers has every directory that the layer check has', () => {
  const config = readFileSync(join(root, '.dependency-cruiser.mjs'), 'utf8');
  const [, table = ''] = /const layers = \{([\s\S]*?)\n\};/.exec(config) ?? [];
  const checked = [...table.matchAll(/^ {2}'((?:src|adapters)\/\w+)'/gm)].map(([, layer = '']) => layer);
  const listed = tableBelow('Layers').map(([cell = '']) => cell.replaceAll('`', ''));
  expect(checked.length).toBeGreaterThan(15);
  expect(listed.sort()).toEqual(checked.sort());
});

test('it says where each kind of change belongs', () => {
  expect(tableBelow('Where a change belongs').map(([change]) => change)).toEqual([
    'a new RPC',
    'a new fault action',
    'a new shell command',
    'a new kubelet version',
    'a new report format',
    'a new runtime profile',
  ]);
});

import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { table } from '../support/markdown-table.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const { parts } = (await import(new URL('../../.dependency-cruiser.mjs', import.meta.url).href)) as {
  parts: Readonly<Record<string, readonly string[]>>;
};
const file = join(root, 'docs/architecture.md');
const page = readFileSync(file, 'utf8');

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

const importsText = (below: readonly string[]): string =>
  below.map((path) => `\`${path.replace(/^src\//, '')}\``).join(', ') || 'nothing';

/** `UPDATE_DOCS=1 npx vitest run test/docs/architecture.test.ts` writes the imports. */
test("its table of parts matches the lint's rules", () => {
  const rows = tableBelow('Parts');
  const expected = rows.map(([cell = '', what = '']) => {
    const below = parts[cell.replaceAll('`', '')];
    return [cell, what, below === undefined ? 'no part' : importsText(below)];
  });
  expect(rows.map(([cell = '']) => cell.replaceAll('`', '')).sort()).toEqual(Object.keys(parts).sort());
  const head = ['part', 'what it is', 'imports'];
  if (process.env.UPDATE_DOCS) {
    const [written = ''] = /^\| part +\| what it is +\| imports.*\n(?:\|.*\n)+/m.exec(page) ?? [];
    writeFileSync(
      file,
      page.replace(written, () => `${table([head, ...expected])}\n`),
    );
  } else expect(rows).toEqual(expected);
});

test('it says where each kind of change belongs', () => {
  expect(tableBelow('Where a change belongs').map(([change]) => change)).toEqual([
    'a field of PodSpec',
    'a new kubelet version',
    'a new RPC',
    'a new fault action',
    'a new runtime profile',
    'a rule for clients',
    'a rule for runtimes',
    'a rule for kubelets',
    'a rule for plugins',
    'a new shell command',
    'a route of the control API',
    'what reproduce reads',
    'a fault on the API',
    'a new report format',
  ]);
});

/** Folders next to each other that import each other: `src/linux: fs, process`. */
function folderCircles(): string[] {
  const imports = new Set<string>();
  const files = sources('src').concat(sources('adapters'));
  for (const file of files)
    for (const [, target = ''] of readFileSync(join(root, file), 'utf8').matchAll(/ from '(\.\.[^']+)'/g)) {
      const [from, to] = [dirname(file).split('/'), dirname(join(dirname(file), target)).split('/')];
      const common = from.findIndex((part, index) => part !== to[index]);
      if (common > 1 && to.length > common)
        imports.add([from.slice(0, common).join('/'), from[common], to[common]].join(' '));
    }
  return [...imports].flatMap((text) => {
    const [parent = '', from = '', to = ''] = text.split(' ');
    return from < to && imports.has(`${parent} ${to} ${from}`) ? [`${parent}: ${from}, ${to}`] : [];
  });
}

const sources = (directory: string): string[] =>
  readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' })
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith('.test.ts') && !path.startsWith('cri/gen/'))
    .map((path) => `${directory}/${path}`);

test('it lists the circles of folders', () => {
  const listed = tableBelow('Circles of folders').flatMap(([cell = '']) => {
    const [parent = '', ...names] = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
    const pairs = names.flatMap((one, index) => names.slice(index + 1).map((other) => `${one}, ${other}`));
    return pairs.map((pair) => `${parent}: ${pair}`);
  });
  expect(folderCircles().sort()).toEqual(listed.sort());
});

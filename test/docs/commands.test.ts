import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { createProgram } from '../../src/cli/program.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  ...readdirSync(`${root}docs`, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
];
const commands = (await createProgram()).commands.map((command) => command.name());

/** A command that works only where the package is installed globally. Titles, paths and settings may name it so. */
const BARE = new RegExp(
  `(?<!npx )(?<![\\w./"'[#$-])(?<!## )mockri (?:${commands.join('|')}|--version)\\b.*`,
  'g',
);

test.each(pages)('%s has commands that work from a checkout', (page) => {
  const text = readFileSync(root + page, 'utf8');
  expect([...text.matchAll(BARE)].map(([found]) => found)).toEqual([]);
  const used = [...text.matchAll(/npx mockri ([a-z]+)/g)].map(([, name = '']) => name);
  expect(used.filter((name) => name !== 'help' && !commands.includes(name))).toEqual([]);
});

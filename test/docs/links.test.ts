import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('../..', import.meta.url));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => join('docs', name)),
];

/** GitHub's anchor of a heading. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');

const anchorsIn = (file: string): string[] =>
  [...readFileSync(file, 'utf8').matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) => anchorOf(heading));

function isBroken(page: string, link: string): boolean {
  const [path = '', anchor] = link.split('#');
  const target = path === '' ? join(root, page) : join(root, dirname(page), path);
  if (!existsSync(target)) return true;
  return anchor !== undefined && !anchorsIn(target).includes(anchor);
}

test.each(pages)('the links of %s have targets', (page) => {
  const text = readFileSync(join(root, page), 'utf8').replace(/^```.*?^```/gms, '');
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link);
  const local = links.filter((link) => !/^[a-z]+:/.test(link));
  expect(local.filter((link) => isBroken(page, link))).toEqual([]);
});

test('every page of docs is reachable from the README', () => {
  const seen = new Set<string>();
  const visit = (page: string) => {
    if (seen.has(page) || !page.endsWith('.md')) return;
    seen.add(page);
    for (const [, link = ''] of readFileSync(join(root, page), 'utf8').matchAll(/\]\(([^)\s#]+)/g)) {
      const target = join(root, dirname(page), link);
      if (!/^[a-z]+:/.test(link) && existsSync(target)) visit(relative(root, target));
    }
  };
  visit('README.md');
  expect(pages.filter((page) => !seen.has(page))).toEqual([]);
});

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { bareCommand, exactTexts, sourceEndings, unchecked, type Word, words } from './words.js';

const root = fileURLToPath(new URL('../..', import.meta.url));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

const pages = ['README.md', 'CONTRIBUTING.md', ...files(['docs', 'src'], '.md')].filter(
  (page) => !unchecked.includes(page),
);

const ofPages = [...words, bareCommand];

describe('words that the project no longer uses are not in', () => {
  test.each(pages)('%s', (page) => {
    expect(findings(page, read(page), ofPages)).toEqual([]);
  });

  test.each(['docker-compose.yml', ...files(['scenarios', 'docs/compose'], '.yaml', '.yml')])(
    '%s',
    (file) => {
      expect(findings(file, read(file), words)).toEqual([]);
    },
  );

  test('comments and string literals of the source', () => {
    const checked = files(['src', 'adapters', 'test'], ...sourceEndings).filter(
      (file) => !unchecked.some((path) => file.startsWith(path)),
    );
    const found = checked.flatMap((file) => {
      const text = read(file);
      // Most have none of the words, not even in their code.
      return anyOf(words).test(text) ? findings(file, proseOf(file, text), words) : [];
    });
    expect(found).toEqual([]);
  });
});

describe('a phrase is found', () => {
  test.each([
    ['Rules come in by five doors.', '1: "doors": write way, endpoint, server'],
    ['One.\nA test sleeps never.', '2: "sleeps never": write never sleeps'],
    ['# It keeps what it has for\n# ever.', '1: "for ever": write forever, permanently'],
    ['Run `mockri serve`.', '1: "mockri serve": write npx mockri …'],
    ['`npx mockri serve`, [mockri serve](#mockri-serve) and\n## mockri serve', undefined],
    ['The indoors test of a mendicant', undefined],
    ['kill: you need to specify whom to kill', undefined],
    ['kill: specify whom to kill', '1: "whom": write name the receiver: callback, target, client'],
  ])('%j', (text, found) => {
    const expected = found === undefined ? [] : [`page.md:${found}`];
    expect(findings('page.md', text, ofPages)).toEqual(expected);
  });
});

test('of a source file, only comments and literals are searched, on their lines', () => {
  const text =
    "const doors = 1; // One of the doors.\nconst a = 'doors'; /* two\n doors */ const b = `doors $" +
    '{doors}`;\n';
  expect(findings('a.ts', proseOf('a.ts', text), words).map((finding) => finding.split(': ')[0])).toEqual([
    'a.ts:1',
    'a.ts:2',
    'a.ts:3',
    'a.ts:3',
  ]);
});

test('of a file with JSX, texts of elements are searched too', () => {
  const text = 'const doors = <p>\n  doors\n</p>;\n';
  expect(findings('a.tsx', proseOf('a.tsx', text), words)).toEqual([
    'a.tsx:2: "doors": write way, endpoint, server',
  ]);
});

/** `file:line: "phrase": write …` for each match outside of exact texts. */
function findings(file: string, given: string, list: readonly Word[]): string[] {
  if (!anyOf(list).test(given)) return [];
  const text = exactTexts.reduce((kept, exact) => kept.replaceAll(exact, ' '.repeat(exact.length)), given);
  return list.flatMap(({ phrase, instead }) =>
    [...text.matchAll(expressionOf(phrase))].map(({ 0: match, index }) => {
      const line = text.slice(0, index).split('\n').length;
      return `${file}:${line}: ${JSON.stringify(match.replace(/\s+([*#>/]+\s+)?/g, ' '))}: write ${instead}`;
    }),
  );
}

const anies = new WeakMap<readonly Word[], RegExp>();

/** Matches a text with any of the phrases: a text is searched for all of them at once, and for each only if it has one. */
function anyOf(list: readonly Word[]): RegExp {
  const any =
    anies.get(list) ?? new RegExp(list.map(({ phrase }) => expressionOf(phrase).source).join('|'), 'i');
  anies.set(list, any);
  return any;
}

/** A space matches a line break too, with the mark that begins the next line of a comment. */
const expressionOf = (phrase: string): RegExp =>
  new RegExp(`(?<![\\w-])(?:${phrase.replaceAll(/(?<!npx|##) /g, '\\s+(?:[*#>/]+\\s+)?')})(?![\\w-])`, 'gi');

/** The comments of a file and the texts of its literals, on their lines. */
function proseOf(file: string, text: string): string {
  const literals = literalsOf(ts.createSourceFile(file, text, ts.ScriptTarget.Latest));
  let code = '';
  let end = 0;
  for (const literal of literals) {
    code += text.slice(end, literal.from) + text.slice(literal.from, literal.to).replace(/[^\n]/g, ' ');
    end = literal.to;
  }
  code += text.slice(end);
  const comments = [...code.matchAll(/\/\/.*|\/\*[\s\S]*?\*\//g)].map(({ 0: comment, index }) => ({
    from: index,
    to: index + comment.length,
  }));
  const kept = [...literals.filter(({ isText }) => isText), ...comments].sort((a, b) => a.from - b.from);
  let prose = '';
  let at = 0;
  for (const { from, to } of kept) {
    prose += ` ${text.slice(at, from).replace(/[^\n]+/g, '')} ${text.slice(from, to)}`;
    at = to;
  }
  return prose;
}

/** What is no code: literals and texts of JSX, which are prose, and regular expressions, in order. */
function literalsOf(source: ts.SourceFile): { from: number; to: number; isText: boolean }[] {
  const found: { from: number; to: number; isText: boolean }[] = [];
  const visit = (node: ts.Node): void => {
    const isText =
      ts.isStringLiteralLike(node) ||
      ts.isTemplateMiddleOrTemplateTail(node) ||
      ts.isTemplateHead(node) ||
      ts.isJsxText(node);
    if (isText || ts.isRegularExpressionLiteral(node))
      found.push({ from: node.getStart(source), to: node.end, isText });
    ts.forEachChild(node, visit);
  };
  visit(source);
  return found;
}

/** The files of directories, by the ends of their names. */
function files(directories: readonly string[], ...endings: string[]): string[] {
  return directories
    .flatMap((directory) =>
      readdirSync(join(root, directory), { recursive: true, encoding: 'utf8' }).map((name) =>
        join(directory, name),
      ),
    )
    .filter((file) => endings.some((ending) => file.endsWith(ending)))
    .sort();
}

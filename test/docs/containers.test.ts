import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseBehavior } from '../../src/linux/behavior/parse-behavior.js';
import { commandNames } from '../../src/linux/commands/index.js';

const page = readFileSync(new URL('../../docs/containers.md', import.meta.url), 'utf8');

/** First column of the table of parts. */
const parts = [...page.slice(0, page.indexOf('\n## Images')).matchAll(/^\| `([^`]+)` +\|/gm)].map(
  ([, part = '']) => part,
);

test('docs/containers.md has every part of a behavior', () => {
  const told = parts.flatMap((part) => part.split(/,(?!after:)/)).map((part) => part.split('=')[0]);
  let allowed = '';
  try {
    parseBehavior('zzzzzzzz', 'test');
  } catch (error) {
    allowed = String(error);
  }
  const known = allowed.split('allowed: ')[1]?.split(', ') ?? [];
  expect(known.length).toBeGreaterThan(10);
  expect([...new Set(told)].sort()).toEqual(known.sort());
});

test.each(parts)('docs/containers.md has valid behaviors: %s', (part) => {
  expect(parseBehavior(part, 'page')).toHaveLength(1);
});

test('docs/containers.md lists exactly the supported commands', () => {
  const list = /output and exit codes:\s+`([^`]+)`/.exec(page)?.[1]?.split(/\s+/);
  const told = [...(list ?? []), 'sh', 'ash', 'bash', '['];
  expect(told.sort()).toEqual([...commandNames].sort());
});

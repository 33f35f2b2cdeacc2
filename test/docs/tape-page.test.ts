import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { lineSchema } from '../../src/tape/entries.js';
import { redactions } from '../../src/tape/keep.js';
import { readAll } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const page = readFileSync(new URL('../../docs/tape.md', import.meta.url), 'utf8');

test('the example of docs/tape.md is a tape', async () => {
  const file = join(directory(), 'example.tape');
  writeFileSync(file, /```json\n([^`]+)```/.exec(page)?.[1] ?? '');
  const { entries } = await readAll(file);
  expect(entries).toHaveLength(8);
  for (const entry of entries) if ('message' in entry) expect(() => entry.message?.value()).not.toThrow();
});

test('docs/tape.md has every kind of entry and every category of redaction', () => {
  const rows = [...page.matchAll(/^\| `(\w+)`/gm)].map(([, name]) => name);
  const kinds = lineSchema.options.map(({ shape }) => shape.kind.value);
  expect(rows).toEqual([...kinds, ...redactions]);
});

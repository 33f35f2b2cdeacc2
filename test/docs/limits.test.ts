import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { shares } from '../../src/base/input/account.js';
import { table } from '../support/markdown-table.js';

// UPDATE_DOCS=1 writes the table.

const PAGE = 'docs/limits.md';
const MIB = 512;

const sizeOf = (part: number): string => `${fractionOf(part)} (${part * MIB} MiB)`;

function fractionOf(part: number): string {
  const denominator = [1, 2, 4, 8, 16, 32].find((each) => Number.isInteger(part * each)) ?? 64;
  return `${part * denominator}/${denominator}`;
}

test('docs/limits.md has the shares of the memory of a node', () => {
  const rows = Object.values(shares).map(({ what, most, reserved, beyond }) => [
    what,
    sizeOf(most),
    sizeOf(reserved),
    beyond,
  ]);
  const expected = table([['What is kept', 'At most', 'Reserved', 'Beyond it'], ...rows]);
  const text = readFileSync(PAGE, 'utf8');
  const [written = ''] = /^\| What is kept.*(?:\n\|.*)+/m.exec(text) ?? [];
  if (process.env.UPDATE_DOCS)
    writeFileSync(
      PAGE,
      text.replace(written, () => expected),
    );
  else expect(written).toBe(expected);
});

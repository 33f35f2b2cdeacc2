import { expect, it } from 'vitest';
import type { TerminalSize } from '../engine/backend.js';
import { terminalSizes } from './resize.js';

async function sizesOf(...chunks: readonly string[]): Promise<TerminalSize[]> {
  const source = (async function* () {
    for (const chunk of chunks) yield Buffer.from(chunk);
  })();
  const sizes: TerminalSize[] = [];
  for await (const size of terminalSizes(source)) sizes.push(size);
  return sizes;
}

it('answers the sizes that came, cut anywhere', async () => {
  const texts = ['{"Width":8,"Height":2}{"Width":80,"Height":24}{"Width":90,', '"Height":25}\n{"Width":1'];
  expect(await sizesOf(...texts)).toEqual([
    { width: 80, height: 24 },
    { width: 90, height: 25 },
  ]);
});

it('leaves out what is no size, of any length', async () => {
  const nonsense = ['}'.repeat(4_000_000), '{'.repeat(4_000_000), '{"Width":70000,"Height":1}'];
  expect(await sizesOf('{"Width":2,"Height":1}', ...nonsense)).toEqual([{ width: 2, height: 1 }]);
});

import { expect, test } from 'vitest';
import { wholeOf } from '../model/view.js';
import { addressOf, readAddress } from './address.js';

const END = 100e9;
const viewOf = (t: string) => readAddress(`#t=${t}`, END).view;

test('an address has the view that it was made from', () => {
  const view = { from: 1.5e9, to: 20e9 };
  const { filter } = readAddress('', END);
  const hash = addressOf({ view, line: 7, tape: 1, filter });
  expect(readAddress(`#${hash}`, END)).toEqual({ view, line: 7, tape: 1, filter });
});

test('a view stays within the tape, whatever a link says', () => {
  expect(viewOf('0~1e290')).toEqual(wholeOf(END));
  expect(viewOf('4000000000~4000000000.000001')?.to).toBeLessThanOrEqual(wholeOf(END).to);
  expect(viewOf('-1e290~-1e289')?.from).toBeGreaterThanOrEqual(wholeOf(END).from);
  for (const t of ['', '1', '2~1', 'x~y', '0~Infinity', '1e308~1.1e308']) expect(viewOf(t)).toBeUndefined();
});

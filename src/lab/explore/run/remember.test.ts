import { expect, test, vi } from 'vitest';
import { keyOf, remember } from './remember.js';

test('something is made once for each key, and the oldest is forgotten', async () => {
  const known = remember<string>(2);
  const make = vi.fn(async () => 'made');
  for (const key of ['a', 'a', 'b', 'a', 'c', 'b']) expect(await known(key, make)).toBe('made');
  expect(make).toHaveBeenCalledTimes(3);
  await known('a', make);
  expect(make).toHaveBeenCalledTimes(4);
});

test('keys differ where values do, also in a map', () => {
  expect(keyOf({ texts: new Map([['a', '1']]) }, [])).toBe(keyOf({ texts: new Map([['a', '1']]) }, []));
  expect(keyOf(new Map([['a', '1']]))).not.toBe(keyOf(new Map([['a', '2']])));
});

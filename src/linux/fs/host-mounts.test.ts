import { expect, it } from 'vitest';
import { hostMountsBelow } from './node-disk.js';

it.runIf(process.platform === 'linux')('finds what is mounted below a path, parents first', async () => {
  const below = await hostMountsBelow('/');
  expect(below).toContain('proc');
  expect(below).toEqual([...below].sort());
  expect(await hostMountsBelow('/proc/self')).toEqual([]);
});

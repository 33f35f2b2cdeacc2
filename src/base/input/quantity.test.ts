import { expect, test } from 'vitest';
import { isQuantity, memoryBytes, milliCpu } from './quantity.js';

test.each([
  ['128974848', 128_974_848n],
  ['129e6', 129_000_000n],
  ['129E+6', 129_000_000n],
  ['129M', 129_000_000n],
  ['128974848000m', 128_974_848n],
  ['1500m', 2n],
  ['123Mi', 128_974_848n],
  ['1.5Gi', 1_610_612_736n],
  ['.5k', 500n],
  ['1P', 1_000_000_000_000_000n],
  ['1E', 1_000_000_000_000_000_000n],
  ['2Pi', 2n ** 51n],
  ['1Ei', 2n ** 60n],
  ['1000000u', 1n],
  ['1n', 1n],
])('%s of memory', (quantity, bytes) => {
  expect(memoryBytes(quantity)).toBe(bytes);
});

test.each([
  ['2', 2000],
  ['0.1', 100],
  ['250m', 250],
  ['1e-1', 100],
  ['100500u', 101],
])('%s of a CPU', (quantity, thousandths) => {
  expect(milliCpu(quantity)).toBe(thousandths);
});

test.each([undefined, '', '-1', '1x', 'Mi', '1e', '1e3Mi', '1KB'])('%s is not a quantity', (quantity) => {
  expect(memoryBytes(quantity)).toBeUndefined();
  expect(milliCpu(quantity)).toBeUndefined();
  expect(isQuantity(quantity ?? '')).toBe(false);
});

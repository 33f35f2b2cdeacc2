import { expect, test } from 'vitest';
import { createRandom } from '../../base/random/random.js';
import { rpcs } from './catalog/index.js';
import { randomSequence } from './generate.js';

const sequences = Array.from({ length: 4000 }, (_, seed) => randomSequence(createRandom(seed)));
const calls = sequences.flatMap((sequence) => sequence.flatMap((step) => step.calls));

test('a seed gives one sequence', () => {
  expect(randomSequence(createRandom(7))).toEqual(randomSequence(createRandom(7)));
  expect(randomSequence(createRandom(7))).not.toEqual(randomSequence(createRandom(8)));
});

test('every RPC comes in every form', () => {
  const seen = new Set(calls.map(({ method, form }) => `${method} ${form}`));
  const all = rpcs.flatMap(({ method, forms }) => Object.keys(forms).map((form) => `${method} ${form}`));
  expect(all.filter((each) => !seen.has(each))).toEqual([]);
});

test('there are unknown objects, ids by prefix, empty ids, repetitions and simultaneous calls', () => {
  expect(calls.some(({ container }) => container === 'c9')).toBe(true);
  expect(calls.some(({ id }) => id === 'prefix')).toBe(true);
  expect(calls.some(({ id }) => id === 'empty')).toBe(true);
  expect(sequences.some((sequence) => sequence.some((step) => step.calls.length > 1))).toBe(true);
});

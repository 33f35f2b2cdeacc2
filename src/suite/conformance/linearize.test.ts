import { expect, test } from 'vitest';
import { linearize, type Model, type Operation } from './linearize.js';

/** A register: writes succeed, reads return the last write. */
const register: Model<number, number | 'read', number | 'done'> = (state, input, output) => {
  if (input === 'read') return output === state ? [state] : [];
  return [input];
};

type Step = [
  client: number,
  input: number | 'read',
  output: number | 'done',
  calledAt: number,
  returnedAt: number,
];
const history = (...steps: Step[]): Operation<number | 'read', number | 'done'>[] =>
  steps.map(([client, input, output, calledAt, returnedAt]) => ({
    client,
    input,
    output,
    calledAt,
    returnedAt,
  }));

test('overlapping operations can take either order', () => {
  const overlapping = history([1, 1, 'done', 0, 10], [2, 'read', 0, 1, 9], [3, 'read', 1, 1, 9]);
  expect(linearize(overlapping, 0, register)?.map(({ client }) => client)).toEqual([2, 1, 3]);
});

test('a read that began after the end of a write cannot miss it', () => {
  expect(linearize(history([1, 1, 'done', 0, 1], [2, 'read', 0, 2, 3]), 0, register)).toBeUndefined();
});

test('two reads that overlap the same write must agree on the order', () => {
  const torn = history([1, 1, 'done', 0, 10], [2, 'read', 1, 1, 2], [3, 'read', 0, 3, 4]);
  expect(linearize(torn, 0, register)).toBeUndefined();
});

import { expect, test } from 'vitest';
import { tapeText } from '../../../../test/support/tape/text.js';
import { countOf } from '../../../../test/support/thorough.js';
import { readTape } from '../model/reader.js';
import { itemOfLine, litItems } from './items.js';

const call = (number: number, t: number, method: string) =>
  ({ t, kind: 'call', call: number, method, connection: 0 }) as const;
const reply = (number: number, t: number, method: string, code: 'OK' | 'CANCELLED') =>
  ({ t, kind: 'reply', call: number, method, code }) as const;

test('lights the call that was answered last before a check fails, and those that never succeed', () => {
  const tape = readTape(
    'x',
    tapeText(
      call(1, 10, 'Version'),
      reply(1, 20, 'Version', 'OK'),
      call(2, 25, 'StartContainer'),
      call(3, 30, 'ContainerStatus'),
      reply(3, 40, 'ContainerStatus', 'OK'),
      call(4, 60, 'RemovePodSandbox'),
      reply(4, 70, 'RemovePodSandbox', 'OK'),
      reply(2, 80, 'StartContainer', 'CANCELLED'),
    ),
  );
  const failure = { rule: 'r', source: 's', expected: 'e', received: 'x', t: 50 };
  const lit = [...litItems([tape], { title: '', failure })].map(({ method }) => method);
  expect(lit.sort()).toEqual(['ContainerStatus', 'StartContainer']);
  expect(litItems([tape], { title: '' }).size).toBe(0);
});

/** Work with the square of so many takes minutes. */
const MANY = countOf(200_000, 5000);

test('a call is found by its request and by its answer', () => {
  const tape = readTape('x', tapeText(call(1, 10, 'Version'), reply(1, 20, 'Version', 'OK')));
  expect(itemOfLine(tape, 2)).toMatchObject({ method: 'Version' });
  expect(itemOfLine(tape, 3)).toBe(itemOfLine(tape, 2));
  expect(itemOfLine(tape, 4)).toBeUndefined();
  expect(itemOfLine(undefined, 2)).toBeUndefined();
});

const manyCalls = () => {
  const calls = Array.from({ length: MANY }, (_, index) => [
    call(index + 1, index, 'Version'),
    reply(index + 1, index, 'Version', 'OK'),
  ]);
  const lines = calls.flat().map((line) => `${JSON.stringify(line)}\n`);
  return readTape('x', tapeText() + lines.join(''));
};

test('lights many differences', () => {
  const differences = Array.from({ length: MANY }, (_, index) => ({
    about: '',
    lines: [2 * index + 3, 0] as const,
    texts: ['', ''] as const,
  }));
  expect(litItems([manyCalls()], { title: '', differences }).size).toBe(MANY);
});

test('lights the last of many calls', () => {
  const failure = { rule: 'r', source: 's', expected: 'e', received: 'x', t: MANY };
  expect(litItems([manyCalls()], { title: '', failure }).size).toBe(1);
});

import { expect, test } from 'vitest';
import { tapeText } from '../../../test/support/tape/text.js';
import { readTape } from '../model/reader.js';
import { litItems } from './items.js';

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

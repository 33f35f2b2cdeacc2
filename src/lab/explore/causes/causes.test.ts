import { expect, test } from 'vitest';
import { type CausedFinding, causesOf } from './causes.js';
import { compare } from './decisions.js';

const finding = (
  cause: string,
  rule: string,
  likely: number,
  more: Partial<CausedFinding> = {},
): CausedFinding => ({
  rule,
  kind: `${rule} | ${cause} ${likely}`,
  message: '',
  cause,
  likely,
  perturbations: ['x'],
  ...more,
});

test('findings with one cause are one, the likeliest first; what is bad and likely comes before what is not', () => {
  const causes = causesOf([
    finding('shown', 'counts-restarts', 9),
    finding('twice', 'one-instance', 4),
    finding('twice', 'one-instance', 7),
  ]);
  expect(causes.map(({ cause, findings }) => [cause, findings.length])).toEqual([
    ['twice', 2],
    ['shown', 1],
  ]);
  expect(causes[0]?.first.likely).toBe(7);
});

test('a cause is known when all its findings are, and comes last', () => {
  const causes = causesOf([
    finding('twice', 'one-instance', 9, { behavior: 'a bug' }),
    finding('shown', 'counts-restarts', 3),
    finding('both', 'same-end', 9, { known: 'accepted' }),
    finding('both', 'same-end', 9),
  ]);
  expect(causes.map(({ cause, isKnown }) => [cause, isKnown])).toEqual([
    ['both', false],
    ['shown', false],
    ['twice', true],
  ]);
});

const step = (t: number, about: string, id: string) => ({
  t,
  about,
  id,
  key: id,
  does: `does ${id}`,
  doesNot: `does not ${id}`,
});

test('the first decision that differs is the earliest; rows count only when no call differs', () => {
  const plain = [step(1, 'web app', 'create'), step(2, 'row web', 'Running'), step(9, 'web app', 'stop')];
  const more = [
    step(1, 'web app', 'create'),
    step(2, 'row web', 'Error'),
    step(5, 'web app', 'create again'),
  ];
  expect(compare(plain, more)).toEqual({ key: 'create again', text: 'The kubelet does create again.' });
  expect(compare(plain, plain.slice(0, 2))).toEqual({ key: 'no stop', text: 'The kubelet does not stop.' });
  const row = [step(1, 'web app', 'create'), step(2, 'row web', 'Error'), step(9, 'web app', 'stop')];
  expect(compare(plain, row).text).toBe('The kubelet does Error.');
  expect(compare(plain, plain).key).toBe('nothing');
});

import { expect, test } from 'vitest';
import { loadSubject } from '../../../src/lab/explore/subject/subject.js';
import { readSeen } from '../../../src/lab/reproduce/read/read-seen.js';
import { isThorough } from '../../support/thorough.js';
import { answerTo } from './answer.js';
import { filesOf, type TextCase, textCases } from './cases.js';

const slow = test.runIf(isThorough);

test.each(textCases)('text of $title is parsed as written, and its pod runs', async (given) => {
  const { pod, saw } = filesOf(given);
  expect((await loadSubject([pod])).pods).toHaveLength(1);
  expect(saw.length).toBeGreaterThan(0);
  const seen = await Promise.all(saw.map(readSeen));
  expect(seen.flatMap(({ parts }) => parts)).not.toEqual([]);
});

slow('rows of a runtime that show nothing wrong need no fault', async () => {
  const given = textCases.find(({ name }) => name === 'init-order') as TextCase;
  const { result } = await answerTo(given, 20);
  expect([result.causes[0]?.verdict, result.causes[0]?.key]).toEqual(['fits', '']);
});

slow('a larger budget does not lead to a worse answer', async () => {
  const given = textCases.find(({ name }) => name === 'ckad') as TextCase;
  const fits: number[] = [];
  for (const budget of [40, 100]) fits.push((await answerTo(given, budget)).result.causes[0]?.fit ?? 0);
  expect(fits[0]).toBeGreaterThanOrEqual(0.95);
  expect(fits[1]).toBeGreaterThanOrEqual(fits[0] as number);
});

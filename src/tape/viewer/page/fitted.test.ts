import { expect, test } from 'vitest';
import { fitted } from './paint.js';

/** Each character has a width of 1; the characters that were measured are counted. */
function measure() {
  const measured = { texts: 0, characters: 0 };
  const measureText = (text: string) => {
    measured.texts++;
    measured.characters += text.length;
    return { width: text.length };
  };
  return { measured, measureText };
}

test('a text is as long as there is space, and shortened in the middle', () => {
  expect(fitted(measure(), 'default/web', 11)).toBe('default/web');
  expect(fitted(measure(), 'default/web', 10)).toBe('defau…/web');
  expect(fitted(measure(), 'default/web', 0)).toBe('d…');
});

test('of a long text only the beginning and the end are measured', () => {
  const context = measure();
  expect(fitted(context, 'x'.repeat(1_000_000), 10)).toBe('xxxxx…xxxx');
  expect(context.measured.texts).toBeLessThan(201);
  expect(context.measured.characters).toBeLessThan(201 * 201);
});

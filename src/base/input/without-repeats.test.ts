import { expect, test } from 'vitest';
import { withoutRepeats } from './without-repeats.js';

test('a message is repeated only after a thousand others', () => {
  const shown: string[] = [];
  const tell = withoutRepeats((message) => shown.push(message));
  tell('first');
  for (let index = 0; index < 999; index++) tell(`${index}`);
  tell('first');
  expect(shown).toHaveLength(1000);
  tell('last');
  tell('first');
  expect(shown.slice(-2)).toEqual(['last', 'first']);
});

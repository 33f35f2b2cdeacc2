import { expect, test } from 'vitest';
import { storyLines } from './story.js';

test('says what is seen, why, and what helps, as far as the file says it', () => {
  expect(storyLines({ title: 'A hang', see: 'It hangs.\nFor long.\n', fix: 'Wait.\n' })).toEqual([
    'A hang',
    '',
    'What you see:',
    '  It hangs.',
    '  For long.',
    '',
    'What helps:',
    '  Wait.',
    '',
  ]);
});

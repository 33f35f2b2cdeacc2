import { expect, test } from 'vitest';
import { storyLines } from './story.js';

test('says what is seen, why, and what helps, without headings for what the file does not say', () => {
  const see = 'It hangs.\nFor a long time.\n\n- first\n- second\n';
  expect(storyLines({ title: 'A hang', see, why: '', fix: 'Wait.\n' }, 20)).toEqual([
    'A hang',
    '',
    'What you see:',
    '  It hangs. For a',
    '  long time.',
    '',
    '  - first',
    '  - second',
    '',
    'What helps:',
    '  Wait.',
    '',
  ]);
  expect(storyLines({ title: '', see: '', why: '', fix: '' }, 20)).toEqual([]);
});

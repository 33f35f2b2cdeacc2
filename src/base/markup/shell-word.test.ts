import { execFileSync } from 'node:child_process';
import { expect, test } from 'vitest';
import fc from '../../../test/support/properties.js';
import { shellWord } from './shell-word.js';

test('a shell reads each word as it was', () => {
  const text = fc.string({ unit: fc.constantFrom(...`ab'"$\`\\ ~!*?#;&|<>(){}[]=\n`) });
  const [words] = fc.sample(fc.array(text, { minLength: 200, maxLength: 200 }), 1);
  const script = `printf '%s\\0' ${words?.map(shellWord).join(' ')}`;
  expect(execFileSync('sh', ['-c', script], { encoding: 'utf8' })).toBe(
    words?.map((word) => `${word}\0`).join(''),
  );
});

test('a plain path stays as it is', () => {
  expect(shellWord('scenarios/my-file_1.yaml')).toBe('scenarios/my-file_1.yaml');
});

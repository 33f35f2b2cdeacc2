import { expect, it } from 'vitest';
import fc from '../../../test/support/properties.js';
import { fitsParts, globMatches } from './glob.js';
import { Regex } from './regex.js';

it.each([
  ['*', '', true],
  ['a*c', 'abbc', true],
  ['a?c', 'abc', true],
  ['a?c', 'ac', false],
  ['*.txt', 'a.txt.gz', false],
  ['a.c', 'abc', false],
])('the glob %s of "%s": %s', (glob, text, expected) => {
  expect(globMatches(glob, text)).toBe(expected);
});

it('matches a glob as a regular expression of the engine would', () => {
  const small = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  const glob = fc.string({ unit: fc.constantFrom('a', 'b', '*', '?'), maxLength: 8 });
  fc.assert(
    fc.property(glob, small, (pattern, text) => {
      const expected = new RegExp(`^${pattern.replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 's').test(text);
      expect(globMatches(pattern, text)).toBe(expected);
    }),
    { numRuns: 2000 },
  );
});

it('fits parts as a regular expression of the engine would', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 8 });
  const parts = fc.array(fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 3 }), {
    minLength: 1,
    maxLength: 4,
  });
  fc.assert(
    fc.property(parts, text, (pieces, whole) => {
      expect(fitsParts(pieces, whole)).toBe(new RegExp(`^${pieces.join('.*')}$`, 's').test(whole));
    }),
    { numRuns: 2000 },
  );
});

it('answers what a backtracking engine would search for ages', () => {
  const text = 'a'.repeat(100_000);
  expect(fitsParts(['', 'a', 'a', 'a', 'a', 'b'], text)).toBe(false);
  expect(globMatches('*a*a*a*a*a*a*b', text)).toBe(false);
  expect(new Regex('^(a+)+$').test(`${text}b`)).toBe(false);
  expect(new Regex('(x+x+)+y').find('x'.repeat(10_000))).toBe(undefined);
});

it.each([
  ['(a', 'missing closing )'],
  ['(a)\\1', 'invalid escape sequence'],
  ['(?=a)', 'unsupported'],
  ['a{1000}a{1000}', 'it is too large: 2000 steps, 1000 are allowed'],
  ['((a{50}){50}){50}', 'it is too large'],
  ['a'.repeat(20_000), 'it is too long: 20000 characters, 10000 are allowed'],
])('refuses the expression %.20s and says why', (source, reason) => {
  expect(() => new Regex(source)).toThrow(reason);
});

it('finds the first match from an offset on, with what its groups caught', () => {
  const regex = new Regex('(a)|(b+)');
  expect(regex.find('xxabb', 3)).toEqual({ start: 3, end: 5, groups: ['bb', undefined, 'bb'] });
  expect(new Regex('^a').find('aa', 1)).toBe(undefined);
  expect(new Regex('a|ab', { longest: true }).find('ab')?.end).toBe(2);
});

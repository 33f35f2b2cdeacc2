import { expect, test } from 'vitest';
import { getopt } from './getopt.js';

const long = { data: 'd', silent: 's' };
const read = (...args: readonly string[]) => getopt(args, 'sd:', { long });

test('options are short or long, and may be given several times', () => {
  const options = read('-sda', '--data=b', '-d', 'c', 'x', '--', '-s');
  expect(options.values('d')).toEqual(['a', 'b', 'c']);
  expect(options.value('d')).toBe('c');
  expect(options.has('s')).toBe(true);
  expect(options.operands).toEqual(['x', '-s']);
  expect(read('-s').values('s')).toEqual([]);
});

test.each(['constructor', 'toString', '__proto__'])('a property of objects is no option: --%s', (name) => {
  expect(() => read(`--${name}`)).toThrow(`unrecognized option '--${name}'`);
});

test('an option that is given very often', () => {
  // With a copy of what came before for each, it would take hours.
  const args = Array.from({ length: 1_000_000 }, () => '-da');
  expect(getopt(args, 'd:').values('d')).toHaveLength(1_000_000);
});

import { expect, test } from 'vitest';
import fc from '../../test/support/properties.js';
import { countOf, isThorough } from '../../test/support/thorough.js';
import { createSecrets } from './secrets.js';

const hash = (text: string) => `<${text.length}>`;
const secretsOf = (...texts: readonly string[]) => {
  const secrets = createSecrets(hash);
  for (const text of texts) secrets.remember(text);
  return secrets;
};

/** Where any of the secrets stands, those that overlap as one. */
function covered(secrets: readonly string[], text: string): [number, number][] {
  const places = secrets.flatMap((secret) =>
    [...text].flatMap((_, at): [number, number][] =>
      text.startsWith(secret, at) ? [[at, at + secret.length]] : [],
    ),
  );
  const joined: [number, number][] = [];
  for (const [from, to] of places.sort(([a], [b]) => a - b)) {
    const last = joined.at(-1);
    if (last !== undefined && from < last[1]) last[1] = Math.max(last[1], to);
    else joined.push([from, to]);
  }
  return joined;
}

const expected = (secrets: readonly string[], text: string): string =>
  covered(secrets, text)
    .reverse()
    .reduce(
      (clean, [from, to]) => clean.slice(0, from) + hash(clean.slice(from, to)) + clean.slice(to),
      text,
    );

const letters = (most: number) => fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: most });
const secret = letters(10).map((end) => `aabaab${end}`);

test('all secrets are found, as if each of them were looked for at each place', () => {
  fc.assert(
    fc.property(fc.array(secret, { maxLength: 8 }), letters(60), (known, text) => {
      expect(secretsOf(...known).hide(text)).toBe(expected(known, text));
    }),
  );
});

test('where no secrets overlap, each of them is replaced in its turn', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(40)), (numbers) => {
      const known = Array.from({ length: 20 }, (_, index) => `secret-${String(index).padStart(2, '0')}`);
      const text = numbers.map((number) => `secret-${String(number).padStart(2, '0')}`).join('');
      const replaced = known.reduce((clean, each) => clean.replaceAll(each, hash(each)), text);
      expect(secretsOf(...known).hide(text)).toBe(replaced);
    }),
  );
});

test('nothing is left of a secret that is longer than one at the same place, or overlaps another one', () => {
  const secrets = secretsOf('hunter2', 'hunter2-s3cret', 's3cret-key');
  expect(secrets.hide('a hunter2, a hunter2-s3cret, and hunter2-s3cret-key')).toBe('a <7>, a <14>, and <18>');
});

test('short texts and long ones are no secrets, and the oldest of too many is forgotten', () => {
  const values = Array.from({ length: 2000 }, (_, index) => `value-${index}.`);
  const secrets = secretsOf('12345', 'x'.repeat(4097), 'oldest', ...values);
  expect(secrets.hide(`12345 ${'x'.repeat(4097)} oldest`)).toBe(`12345 ${'x'.repeat(4097)} oldest`);
  expect(secrets.hide('value-0. value-1999.')).toBe('<8> <11>');
  secrets.remember('newest');
  expect(secrets.hide('value-0. value-1. newest')).toBe('value-0. <8> <6>');
});

test('secrets come and go, and the others are found as before', () => {
  fc.assert(
    fc.property(fc.array(secret, { minLength: 1, maxLength: 30 }), letters(60), (known, text) => {
      const secrets = createSecrets(hash, 5);
      for (const each of known) secrets.remember(each);
      // One that is known already does not become newer.
      const kept: string[] = [];
      for (const each of known) {
        if (kept.includes(each)) continue;
        kept.push(each);
        if (kept.length > 5) kept.shift();
      }
      expect(secrets.hide(text)).toBe(expected(kept, text));
    }),
  );
});

// Work with the product of secrets and texts takes minutes in the following, and seconds with a tenth of the text.

const MEGA = countOf(1_000_000, 100_000);

test('many secrets in many texts', () => {
  const secrets = secretsOf(...Array.from({ length: 2000 }, (_, index) => `secret-${index}`));
  for (let index = 0; index < 3 * MEGA; index++) secrets.hide(index % 2 === 0 ? 'a' : 'secret-');
  expect(secrets.hide(`${'secret'.repeat(2 * MEGA)} secret-7`)).toMatch(/secret <8>$/);
});

test('a text that is almost a secret at each of its places is hidden as a whole', () => {
  const secrets = secretsOf(`${'a'.repeat(2000)}b`);
  expect(secrets.hide('a'.repeat(8 * MEGA))).toBe(`<${8 * MEGA}>`);
  secrets.nextLine();
  expect(secrets.hide(`x ${'a'.repeat(2000)}b`)).toBe('x <2001>');
});

test.runIf(isThorough)('a text with very many different secrets is hidden as a whole', () => {
  let hashed = 0;
  const secrets = createSecrets((text) => {
    hashed++;
    return hash(text);
  });
  const values = Array.from({ length: 2000 }, (_, index) => `aabaa${index.toString(2).padStart(11, '0')}aa`);
  for (const each of values) secrets.remember(each);
  // Those that overlap are one text, of which there are more than secrets.
  const texts = values.flatMap((one) => values.slice(0, 200).map((other) => one + other.slice(2)));
  const length = texts.join('.').length;
  expect(secrets.hide(texts.join('.'))).toBe(`<${length}>`);
  expect(hashed).toBeLessThan(length / 32);
});

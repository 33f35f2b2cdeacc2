import { describe, expect, it } from 'vitest';
import { evaluate } from '../../src/linux/shell/expansion/arithmetic.js';
import { compilePattern, matchesPattern } from '../../src/linux/shell/expansion/pattern.js';
import type { Word } from '../../src/linux/shell/syntax/ast.js';
import { parseScript } from '../../src/linux/shell/syntax/parser.js';
import { ShellSyntaxError } from '../../src/linux/shell/syntax/syntax-error.js';
import { toBytes, toText } from '../../src/linux/shell/text.js';
import fc from '../support/properties.js';

const PIECES =
  'if|then|else|fi|for|in|do|done|while|case|esac|function|{|}|(|)|((|))|$(|$((|${|`|"|\'|\\|\n|;|;;|&|&&|||| |x|=|' +
  'x=1|<|>|<<E|<<-E|E|>&|2>|1|$|$x|${x:-|${#|%|#|!|[[|]]|[|*|~|-|+|,|?|:|@';

const script = fc
  .array(fc.oneof(fc.constantFrom(...PIECES.split('|')), fc.string({ maxLength: 3 })), { maxLength: 40 })
  .map((pieces) => pieces.join(''));

/** Parses to the end or to a syntax error; every command consumes some text, so it ends. */
function parseAll(text: string, partial: boolean): ShellSyntaxError | undefined {
  const parser = parseScript(text, { partial });
  try {
    for (let before = -1; parser.next() !== undefined; before = parser.position) {
      expect(parser.position).toBeGreaterThan(before);
    }
    return undefined;
  } catch (error) {
    if (error instanceof ShellSyntaxError) return error;
    throw error;
  }
}

describe('shell syntax', () => {
  it('is parsed, or rejected with a syntax error', () => {
    fc.assert(
      fc.property(script, fc.boolean(), (text, partial) => void parseAll(text, partial)),
      { numRuns: 3000 },
    );
  });

  it('rejects only text that is nested too deeply', () => {
    for (const [opening, closing] of [
      ['(', ')'],
      ['$(', ')'],
      ['{ ', '; }'],
      ['"$(', ')"'],
      ['${x:-', '}'],
      ['if ', '; then a; fi'],
    ] as const) {
      const nested = (depth: number) => `${opening.repeat(depth)}a${closing.repeat(depth)}`;
      expect(parseAll(nested(20), false)).toBeUndefined();
      expect(parseAll(nested(5000), false)?.message).toMatch(/nested too deeply|unterminated|unexpected/);
    }
  });

  it('requests more input exactly when the text can still become valid', () => {
    const whole =
      'if a; then\nfor x in "b c" $(d) `e`; do\ncase $x in (y) z;; esac\ndone | { f; }\ncat <<E\nx\nE\nfi\n';
    expect(parseAll(whole, true)).toBeUndefined();
    for (const [index] of [...whole.matchAll(/\n/g)].map((match) => [match.index] as const).slice(0, -1)) {
      expect(parseAll(whole.slice(0, index + 1), true)?.incomplete).toBe(true);
    }
  });

  it('reads a quoted word unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => {
        const command = parseScript(`'${text.replaceAll("'", `'\\''`)}'`).next();
        const words: readonly Word[] = command?.kind === 'simple' ? command.words : [];
        const read = words.map((word) =>
          word.map((part) => (part.kind === 'literal' ? part.text : '?')).join(''),
        );
        expect(read).toEqual([text]);
      }),
    );
  });
});

describe('shell patterns', () => {
  it('match correctly, in time that grows slowly', () => {
    const piece = fc.constantFrom('a', 'b', '*', '?', '[ab]');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), fc.stringMatching(/^[abc]{0,8}$/), (pieces, text) => {
        const expression = pieces.join('').replaceAll('*', '.*').replaceAll('?', '.');
        const pattern = compilePattern([{ text: pieces.join(''), quoted: false }]);
        expect(matchesPattern(pattern, text)).toBe(new RegExp(`^${expression}$`).test(text));
      }),
    );
    const slow = compilePattern([{ text: '*a'.repeat(50), quoted: false }]);
    expect(matchesPattern(slow, `${'a'.repeat(2000)}b`)).toBe(false);
  });
});

describe('shell arithmetic', () => {
  it('computes like C with 64 bits', () => {
    const operator = fc.constantFrom('+', '-', '*', '&', '|', '^', '<', '>=', '==');
    fc.assert(
      fc.property(
        fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n),
        operator,
        fc.bigInt(-(2n ** 63n) + 1n, 2n ** 63n - 1n),
        (a, sign, b) => {
          const value = evaluate(`(${a}) ${sign} (${b})`, { get: () => undefined, set: () => {} });
          expect(value).toBe(BigInt.asIntN(64, exact(a, sign, b)));
        },
      ),
    );
  });
});

function exact(a: bigint, operator: string, b: bigint): bigint {
  if (operator === '+') return a + b;
  if (operator === '-') return a - b;
  if (operator === '*') return a * b;
  if (operator === '&') return a & b;
  if (operator === '|') return a | b;
  if (operator === '^') return a ^ b;
  return BigInt(operator === '<' ? a < b : operator === '>=' ? a >= b : a === b);
}

describe('text and bytes', () => {
  it('pass through a shell unchanged', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
        expect(toBytes(toText(Buffer.from(bytes)))).toEqual(Buffer.from(bytes));
      }),
    );
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (text) => void expect(toText(toBytes(text))).toBe(text)),
    );
  });
});

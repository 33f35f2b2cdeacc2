/**
 * Bits of every byte's code (RFC 7541, appendix B), the end-of-string code last. The code is canonical: codes of one
 * length follow each other in the order of their bytes, so that the lengths say it all.
 */
const LENGTHS = [
  13, 23, 28, 28, 28, 28, 28, 28, 28, 24, 30, 28, 28, 30, 28, 28, 28, 28, 28, 28, 28, 28, 30, 28, 28, 28, 28,
  28, 28, 28, 28, 28, 6, 10, 10, 12, 13, 6, 8, 11, 10, 10, 8, 11, 8, 6, 6, 6, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 7,
  8, 15, 6, 12, 10, 13, 6, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 8, 7, 8, 13, 19,
  13, 14, 6, 15, 5, 6, 5, 6, 5, 6, 6, 6, 5, 7, 7, 6, 6, 6, 5, 6, 7, 6, 5, 5, 6, 7, 7, 7, 7, 7, 15, 11, 14, 13,
  28, 20, 22, 20, 20, 22, 22, 22, 23, 22, 23, 23, 23, 23, 23, 24, 23, 24, 24, 22, 23, 24, 23, 23, 23, 23, 21,
  22, 23, 22, 23, 23, 24, 22, 21, 20, 22, 22, 23, 23, 21, 23, 22, 22, 24, 21, 22, 23, 23, 21, 21, 22, 21, 23,
  22, 23, 23, 20, 22, 22, 22, 23, 22, 22, 23, 26, 26, 20, 19, 22, 23, 22, 25, 26, 26, 26, 27, 27, 26, 24, 25,
  19, 21, 26, 27, 27, 26, 27, 24, 21, 21, 26, 26, 28, 27, 27, 27, 20, 24, 20, 21, 22, 21, 21, 23, 22, 22, 25,
  25, 24, 24, 26, 23, 26, 27, 26, 26, 27, 27, 27, 27, 27, 28, 27, 27, 27, 27, 27, 26, 30,
] as const;

const END = 256;
const LONGEST = 30;

/** For each length: its first code, and its bytes in the order of their codes. */
const byLength = canonical();

/** Decodes a Huffman-coded string as latin1; throws what makes it invalid. */
export function decodeHuffman(bytes: Uint8Array): string {
  let text = '';
  let code = 0;
  let length = 0;
  for (const byte of bytes) {
    for (let bit = 7; bit >= 0; bit--) {
      code = (code << 1) | ((byte >> bit) & 1);
      length++;
      const { first, symbols } = byLength[length] as Level;
      const symbol = symbols[code - first];
      if (symbol === undefined) {
        if (length === LONGEST) throw new Error('a Huffman code that does not exist');
        continue;
      }
      if (symbol === END) throw new Error('an end-of-string code within a string');
      text += String.fromCharCode(symbol);
      code = 0;
      length = 0;
    }
  }
  if (length > 7 || code !== (1 << length) - 1)
    throw new Error('a Huffman-coded string that ends within a code');
  return text;
}

interface Level {
  readonly first: number;
  readonly symbols: readonly number[];
}

function canonical(): Level[] {
  const levels: Level[] = [];
  let code = 0;
  for (let length = 0; length <= LONGEST; length++) {
    const symbols = LENGTHS.flatMap((bits, symbol) => (bits === length ? [symbol] : []));
    levels.push({ first: code, symbols });
    code = (code + symbols.length) * 2;
  }
  return levels;
}

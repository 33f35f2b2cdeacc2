import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeFields, encodeFields } from './hpack.js';
import { decodeHuffman } from './huffman.js';

/** Bits as bytes, filled up with ones (RFC 7541, 5.2). */
function pack(...codes: readonly (readonly [code: number, bits: number])[]): Buffer {
  const bits = codes.map(([code, length]) => code.toString(2).padStart(length, '0')).join('');
  const octets = bits.padEnd(Math.ceil(bits.length / 8) * 8, '1').match(/.{8}/g) ?? [];
  return Buffer.from(octets.map((octet) => Number.parseInt(octet, 2)));
}

test('reads the Huffman code: the example of RFC 7541 C.4.1, and codes of every kind of length', () => {
  expect(decodeHuffman(Buffer.from('f1e3c2e5f23a6ba0ab90f4ff', 'hex'))).toBe('www.example.com');
  expect(decodeHuffman(Buffer.alloc(0))).toBe('');
  const far = pack([0x3ffffffc, 30], [0x1ff8, 13], [0x7fff1, 19], [0xffffffe, 28], [0x3ffffee, 26], [0x0, 5]);
  expect(decodeHuffman(far)).toBe('\n\x00\xc3\xf9\xff0');
});

test('refuses what no encoder writes', () => {
  expect(() => decodeHuffman(Buffer.from([0xff, 0xff, 0xff, 0xff]))).toThrow(/end-of-string/);
  expect(() => decodeHuffman(pack([0x1c, 5]).fill(0, 0, 0))).not.toThrow();
  expect(() => decodeHuffman(Buffer.from([0b1111_1110]))).toThrow(/within a code/);
  expect(() => decodeFields(Buffer.from([0xbe]))).toThrow('header field 62, which is in no table');
  expect(() => decodeFields(Buffer.from([0x3f, 0xe1, 0x1f]))).toThrow(/larger than was allowed/);
  expect(() => decodeFields(Buffer.from([0, 5, 0x61]))).toThrow(/within a string/);
  expect(() => decodeFields(Buffer.from([0, 0x7f, 0xff, 0xff, 0xff, 0xff, 0xff]))).toThrow(/too large/);
});

test('reads static fields, names from the table, and the resize to nothing that begins a block', () => {
  const block = Buffer.concat([
    Buffer.from([0x20, 0x88, 0x5f, 16]),
    Buffer.from('application/grpc'),
    Buffer.from([0x00, 11]),
    Buffer.from('grpc-status'),
    Buffer.from([1]),
    Buffer.from('0'),
  ]);
  expect([...decodeFields(block)]).toEqual([
    [':status', '200'],
    ['content-type', 'application/grpc'],
    ['grpc-status', '0'],
  ]);
});

test('writes what the static table has as its index, whole or by name', () => {
  const fields = [
    [':method', 'POST'],
    [':authority', 'localhost'],
    ['content-type', 'a/b'],
    ['te', 'x'],
  ] as const;
  const block = Buffer.concat([
    Buffer.from([0x83, 0x01, 9]),
    Buffer.from('localhost'),
    Buffer.from([0x0f, 31 - 15, 3]),
    Buffer.from('a/b'),
    Buffer.from([0x00, 2]),
    Buffer.from('te'),
    Buffer.from([1]),
    Buffer.from('x'),
  ]);
  expect(encodeFields(fields)).toEqual(block);
  expect([...decodeFields(block)]).toEqual(fields.map((field) => [...field]));
});

test('reads back what it writes, also what is long', () => {
  const word = fc.oneof(
    fc.string({ unit: fc.constantFrom(...'abcxyz-0189'), minLength: 1, maxLength: 400 }),
    fc.constantFrom(':status', '404', 'accept-encoding', 'gzip, deflate', 'www-authenticate', ':path', '/'),
  );
  fc.assert(
    fc.property(fc.dictionary(word, word, { noNullPrototype: true }), (fields) => {
      expect(Object.fromEntries(decodeFields(encodeFields(Object.entries(fields))))).toEqual(fields);
    }),
  );
});

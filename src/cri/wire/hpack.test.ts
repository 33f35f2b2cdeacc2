import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeFields, FieldDecoder, type Fields } from './hpack.js';
import { decodeHuffman } from './huffman.js';

/** Of a peer that may keep no table. */
const decodeFields = (block: Buffer): Fields => new FieldDecoder(0).decode(block);

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

test('reads back what it writes, also what is long', () => {
  const word = fc.string({ unit: fc.constantFrom(...'abcxyz-0189'), minLength: 1, maxLength: 400 });
  fc.assert(
    fc.property(fc.dictionary(word, word, { noNullPrototype: true }), (fields) => {
      expect(Object.fromEntries(decodeFields(encodeFields(Object.entries(fields))))).toEqual(fields);
    }),
  );
});

test('keeps a table for a peer that was allowed one: the example of RFC 7541 C.5', () => {
  const decoder = new FieldDecoder(256);
  const decode = (hex: string) => [...decoder.decode(Buffer.from(hex.replaceAll(' ', ''), 'hex')).values()];
  const date = 'Mon, 21 Oct 2013 20:13:21 GMT';
  const first =
    '4803 3330 3258 0770 7269 7661 7465 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 ' +
    '3120 474d 546e 1768 7474 7073 3a2f 2f77 7777 2e65 7861 6d70 6c65 2e63 6f6d';
  expect(decode(first)).toEqual(['302', 'private', date, 'https://www.example.com']);
  expect(decode('4803 3330 37c1 c0bf')).toEqual(['307', 'private', date, 'https://www.example.com']);
  const third =
    '88c1 611d 4d6f 6e2c 2032 3120 4f63 7420 3230 3133 2032 303a 3133 3a32 3220 474d 54c0 5a04 677a 6970 ' +
    '7738 666f 6f3d 4153 444a 4b48 514b 425a 584f 5157 454f 5049 5541 5851 5745 4f49 553b 206d 6178 2d61 ' +
    '6765 3d33 3630 303b 2076 6572 7369 6f6e 3d31';
  const cookie = 'foo=ASDJKHQKBZXOQWEOPIUAXQWEOIU; max-age=3600; version=1';
  const later = date.replace('21 GMT', '22 GMT');
  expect(decode(third)).toEqual(['200', 'private', later, 'https://www.example.com', 'gzip', cookie]);
  // The newest three are left: 98 + 52 + 65 bytes.
  expect(decode('be bf c0')).toEqual([cookie, 'gzip', later]);
  expect(() => decode('c1')).toThrow('header field 65, which is in no table');
  expect(decode('20')).toEqual([]);
  expect(() => decode('be')).toThrow('header field 62, which is in no table');
  expect(() => decode('3fe2 01')).toThrow(/larger than was allowed/);
});

test('refuses fields that are small on the wire and large in memory', () => {
  const decoder = new FieldDecoder(4096);
  decoder.decode(Buffer.concat([Buffer.from([0x40, 1, 0x61, 0x7f, 0x80, 0x1e]), Buffer.alloc(3967, 'x')]));
  expect(() => decoder.decode(Buffer.alloc(17, 0xbe))).toThrow('header fields of more than 65536 bytes');
});

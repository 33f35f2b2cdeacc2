/** ASN.1 values in their DER encoding (X.690), as far as certificates need them. */
type Value = Buffer;

const encode = (tag: number, content: Value): Value =>
  Buffer.concat([Buffer.from([tag]), length(content.length), content]);

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

/** An ordered collection. */
export const sequence = (...items: readonly Value[]): Value => encode(0x30, Buffer.concat(items));
/** A collection of one kind; one item needs no order. */
export const set = (...items: readonly Value[]): Value => encode(0x31, Buffer.concat(items));
/** A constructed value with a tag of the context: `[0]`. */
export const tagged = (number: number, ...items: readonly Value[]): Value =>
  encode(0xa0 | number, Buffer.concat(items));
/** A primitive value with a tag of the context, instead of its usual one. */
export const implicit = (number: number, content: Value): Value => encode(0x80 | number, content);
/** A number from 0 to 127, or one whose big-endian bytes are given with the sign bit clear. */
export const integer = (value: number | Buffer): Value =>
  encode(0x02, typeof value === 'number' ? Buffer.from([value]) : value);
/** Raw bytes. */
export const octets = (content: Value): Value => encode(0x04, content);
/** Whole bytes of bits. */
export const bits = (content: Value): Value => encode(0x03, Buffer.concat([Buffer.from([0]), content]));
/** Bits of which the last `unused` do not count. */
export const flags = (byte: number, unused: number): Value => encode(0x03, Buffer.from([unused, byte]));
/** True. */
export const yes: Value = encode(0x01, Buffer.from([0xff]));
/** A text. */
export const utf8 = (text: string): Value => encode(0x0c, Buffer.from(text));
/** A time of this century, in whole seconds. */
export const utcTime = (milliseconds: number): Value => {
  const text = new Date(milliseconds).toISOString().replace(/\.\d+|[-:T]/g, '');
  return encode(0x17, Buffer.from(text.slice(2)));
};

/** An object identifier: `2.5.29.17`. */
export function oid(text: string): Value {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((number) => {
    const digits = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return encode(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

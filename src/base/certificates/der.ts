/** The part of DER (ASN.1, X.690) that certificates need. */
type Value = Buffer;

const encode = (tag: number, content: Value): Value =>
  Buffer.concat([Buffer.from([tag]), length(content.length), content]);

function length(bytes: number): Buffer {
  if (bytes < 0x80) return Buffer.from([bytes]);
  const digits = Buffer.from(bytes.toString(16).padStart(bytes > 0xff ? 4 : 2, '0'), 'hex');
  return Buffer.concat([Buffer.from([0x80 | digits.length]), digits]);
}

export const sequence = (...items: readonly Value[]): Value => encode(0x30, Buffer.concat(items));
/** SET of one kind; a single item needs no order. */
export const set = (...items: readonly Value[]): Value => encode(0x31, Buffer.concat(items));
/** A constructed value with a context-specific tag: `[0]`. */
export const tagged = (number: number, ...items: readonly Value[]): Value =>
  encode(0xa0 | number, Buffer.concat(items));
/** A primitive value with a context-specific tag instead of its usual one. */
export const implicit = (number: number, content: Value): Value => encode(0x80 | number, content);
/** A number from 0 to 127, or big-endian bytes with the sign bit clear. */
export const integer = (value: number | Buffer): Value =>
  encode(0x02, typeof value === 'number' ? Buffer.from([value]) : value);
export const octets = (content: Value): Value => encode(0x04, content);
/** BIT STRING of whole bytes. */
export const bits = (content: Value): Value => encode(0x03, Buffer.concat([Buffer.from([0]), content]));
/** BIT STRING whose last `unused` bits do not count. */
export const flags = (byte: number, unused: number): Value => encode(0x03, Buffer.from([unused, byte]));
export const yes: Value = encode(0x01, Buffer.from([0xff]));
export const utf8 = (text: string): Value => encode(0x0c, Buffer.from(text));
/** UTCTime in this century, in whole seconds. */
export const utcTime = (milliseconds: number): Value => {
  const text = new Date(milliseconds).toISOString().replace(/\.\d+|[-:T]/g, '');
  return encode(0x17, Buffer.from(text.slice(2)));
};

/** OBJECT IDENTIFIER, such as `2.5.29.17`. */
export function oid(text: string): Value {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  const bytes = rest.flatMap((number) => {
    const digits = [number & 0x7f];
    for (let left = number >> 7; left > 0; left >>= 7) digits.unshift((left & 0x7f) | 0x80);
    return digits;
  });
  return encode(0x06, Buffer.from([first * 40 + second, ...bytes]));
}

/**
 * Text and bytes. A shell's values are strings here, but what passes through it may be any bytes: those that are no
 * UTF-8 become lone surrogates (U+DC80 to U+DCFF, as Python's surrogateescape does) and bytes again on the way out.
 */
export function toBytes(text: string): Buffer {
  if (!/[\udc80-\udcff]/.test(text)) return Buffer.from(text);
  const parts = text.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/);
  return Buffer.concat(
    parts.map((part, index) =>
      index % 2 === 1 ? Buffer.of(part.charCodeAt(0) - 0xdc00) : Buffer.from(part),
    ),
  );
}

/** The way back: `toBytes(toText(bytes))` are the same bytes. */
export function toText(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\ufffd') ? toTextByByte(bytes) : text;
}

/** The string for one byte. */
export const byteToText = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);

function toTextByByte(bytes: Buffer): string {
  let text = '';
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    text += length === 0 ? byteToText(bytes[at] as number) : bytes.toString('utf8', at, at + length);
    at += Math.max(1, length);
  }
  return text;
}

/** The length of the valid UTF-8 sequence that begins here; 0 if there is none. */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  const length =
    first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  const text = bytes.toString('utf8', at, at + length);
  return length > 0 &&
    at + length <= bytes.length &&
    Buffer.from(text).equals(bytes.subarray(at, at + length))
    ? length
    : 0;
}

/**
 * Text and bytes. A shell's values are strings here, but may have to carry any bytes: those that aren't UTF-8 become
 * lone surrogates (U+DC80 to U+DCFF, as in Python's surrogateescape) and bytes again in the output.
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

/** The inverse: `toBytes(toText(bytes))` are the same bytes. */
export function toText(bytes: Buffer): string {
  const text = bytes.toString();
  return text.includes('\ufffd') ? toTextByByte(bytes) : text;
}

export const byteToText = (byte: number): string => String.fromCharCode(byte < 0x80 ? byte : 0xdc00 + byte);

function toTextByByte(bytes: Buffer): string {
  let text = '';
  let valid = 0;
  for (let at = 0; at < bytes.length; ) {
    const length = sequenceLength(bytes, at);
    at += length;
    if (length > 0) continue;
    text += bytes.toString('utf8', valid, at) + byteToText(bytes[at] as number);
    valid = ++at;
  }
  return text + bytes.toString('utf8', valid);
}

/** The length of the valid UTF-8 sequence that begins here; 0 if there is none (RFC 3629, section 4). */
function sequenceLength(bytes: Buffer, at: number): number {
  const first = bytes[at] as number;
  if (first < 0x80) return 1;
  const length = first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
  const second = bytes[at + 1] ?? 0;
  const least = first === 0xe0 ? 0xa0 : first === 0xf0 ? 0x90 : 0x80;
  const most = first === 0xed ? 0x9f : first === 0xf4 ? 0x8f : 0xbf;
  if (length === 0 || second < least || second > most) return 0;
  for (let next = 2; next < length; next++) if (((bytes[at + next] ?? 0) & 0xc0) !== 0x80) return 0;
  return length;
}

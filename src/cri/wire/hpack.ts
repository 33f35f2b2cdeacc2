import { decodeHuffman } from './huffman.js';

/** Lower-case names; a name that came twice has the values joined with a comma. */
export type Fields = ReadonlyMap<string, string>;

type Field = readonly [name: string, value: string];

/** RFC 7541, appendix A, from index 1. */
const STATIC: readonly Field[] = [
  [':authority', ''],
  [':method', 'GET'],
  [':method', 'POST'],
  [':path', '/'],
  [':path', '/index.html'],
  [':scheme', 'http'],
  [':scheme', 'https'],
  ...[200, 204, 206, 304, 400, 404, 500].map((code) => [':status', String(code)] as const),
  ['accept-charset', ''],
  ['accept-encoding', 'gzip, deflate'],
  ...[
    'accept-language accept-ranges accept access-control-allow-origin age allow authorization cache-control',
    'content-disposition content-encoding content-language content-length content-location content-range',
    'content-type cookie date etag expect expires from host if-match if-modified-since if-none-match if-range',
    'if-unmodified-since last-modified link location max-forwards proxy-authenticate proxy-authorization range',
    'referer refresh retry-after server set-cookie strict-transport-security transfer-encoding user-agent vary',
    'via www-authenticate',
  ].flatMap((line) => line.split(' ').map((name) => [name, ''] as const)),
];

/** Where the table has a name, and where a name with its value. */
const STATIC_NAMES = indexes(([name]) => name);
const STATIC_FIELDS = indexes(fieldKey);

function indexes(keyOf: (field: Field) => string): ReadonlyMap<string, number> {
  return new Map(STATIC.map((field, index) => [keyOf(field), index + 1] as const).reverse());
}

function fieldKey([name, value]: Field): string {
  return `${name}:${value}`;
}

/**
 * Header fields by the static table as far as they are in it, for Node's HTTP/2 has those at hand; otherwise as
 * literals that nobody has to remember. Names are lower-case, values ASCII.
 */
export function encodeFields(fields: readonly Field[]): Buffer {
  const room = fields.reduce(
    (sum, [name, value]) => sum + name.length + value.length + 2 * MOST_OF_LENGTH,
    0,
  );
  const block = Buffer.allocUnsafe(room);
  let at = 0;
  for (const field of fields) at = writeField(block, at, field);
  return block.subarray(0, at);
}

/** RFC 7541, 6.1 and 6.2.2; returns the offset behind it. */
function writeField(block: Buffer, at: number, field: Field): number {
  const [name, value] = field;
  const whole = STATIC_FIELDS.get(fieldKey(field));
  if (whole !== undefined) return block.writeUInt8(0x80 | whole, at);
  const known = STATIC_NAMES.get(name) ?? 0;
  const begun = known < 15 ? block.writeUInt8(known, at) : block.writeUInt16BE(0x0f00 | (known - 15), at);
  return writeText(block, known === 0 ? writeText(block, begun, name) : begun, value);
}

/** Bytes that the length of a string may take, with the byte that begins a field. */
const MOST_OF_LENGTH = 6;

/** Writes a string with its length (RFC 7541, 5.1 and 5.2); returns the offset behind it. */
function writeText(block: Buffer, offset: number, text: string): number {
  let at = offset;
  block[at++] = Math.min(text.length, 127);
  if (text.length >= 127) {
    let rest = text.length - 127;
    for (; rest >= 128; rest >>>= 7) block[at++] = 128 | (rest & 127);
    block[at++] = rest;
  }
  return at + block.write(text, at, 'latin1');
}

/**
 * Decodes the header blocks of a peer that was told to keep no table of its own (SETTINGS_HEADER_TABLE_SIZE 0).
 * Throws if it does all the same, or sends nonsense: an error of the connection.
 */
export function decodeFields(block: Buffer): Fields {
  const fields = new Map<string, string>();
  const reader = new Reader(block);
  while (!reader.atEnd) {
    const first = reader.peek();
    if (first >= 0x80) {
      const [name, value] = staticField(reader.integer(7));
      add(fields, name, value);
    } else if (first >= 0x20 && first < 0x40) {
      if (reader.integer(5) !== 0) throw new Error('a header table larger than was allowed');
    } else {
      const index = reader.integer(first >= 0x40 ? 6 : 4);
      const name = index === 0 ? reader.text() : staticField(index)[0];
      add(fields, name, reader.text());
    }
  }
  return fields;
}

function staticField(index: number): readonly [string, string] {
  const field = STATIC[index - 1];
  if (field === undefined) throw new Error(`header field ${index}, which is in no table`);
  return field;
}

function add(fields: Map<string, string>, name: string, value: string): void {
  const known = fields.get(name);
  fields.set(name, known === undefined ? value : `${known},${value}`);
}

class Reader {
  readonly #block: Buffer;
  #at = 0;

  constructor(block: Buffer) {
    this.#block = block;
  }

  get atEnd(): boolean {
    return this.#at >= this.#block.length;
  }

  peek(): number {
    const byte = this.#block[this.#at];
    if (byte === undefined) throw new Error('a header block that ends within a field');
    return byte;
  }

  #byte(): number {
    const byte = this.peek();
    this.#at++;
    return byte;
  }

  /** RFC 7541, 5.1, with a prefix of so many bits. */
  integer(bits: number): number {
    const most = 2 ** bits - 1;
    let value = this.#byte() & most;
    if (value < most) return value;
    for (let shift = 0; shift <= 21; shift += 7) {
      const byte = this.#byte();
      value += (byte & 127) * 2 ** shift;
      if (byte < 128) return value;
    }
    throw new Error('an integer that is too large for a header block');
  }

  text(): string {
    const isCoded = this.peek() >= 0x80;
    const length = this.integer(7);
    const bytes = this.#block.subarray(this.#at, this.#at + length);
    if (bytes.length < length) throw new Error('a header block that ends within a string');
    this.#at += length;
    return isCoded ? decodeHuffman(bytes) : bytes.toString('latin1');
  }
}

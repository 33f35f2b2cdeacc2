import { decodeHuffman } from './huffman.js';

/** Lower-case names; a name that came twice has the values joined with a comma. */
export type Fields = ReadonlyMap<string, string>;

/** Name and value. */
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

/** Header fields as literals that nobody has to remember. Names are lower-case, values ASCII. */
export function encodeFields(fields: readonly Field[]): Buffer {
  const room = fields.reduce(
    (sum, [name, value]) => sum + name.length + value.length + 2 * MOST_OF_LENGTH,
    0,
  );
  const block = Buffer.allocUnsafe(room);
  let at = 0;
  for (const [name, value] of fields) {
    block[at] = 0;
    at = writeText(block, writeText(block, at + 1, name), value);
  }
  return block.subarray(0, at);
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

/** What an entry costs besides its text (RFC 7541, 4.1). */
const ENTRY = 32;

/** Bytes of one block's fields, counted as table entries are: what comes above is refused (RFC 9113, 6.5.2). */
export const LARGEST_FIELDS = 65_536;

/**
 * Decodes the header blocks of one peer, in the order they came. `allowed` is the size of the table that the peer may
 * keep here (SETTINGS_HEADER_TABLE_SIZE). Throws if it takes more, or sends nonsense: an error of the connection.
 */
export class FieldDecoder {
  readonly #allowed: number;
  /** RFC 7541, 2.3.2: the newest first. */
  readonly #table: Field[] = [];
  #room: number;
  #used = 0;

  constructor(allowed: number) {
    this.#allowed = allowed;
    this.#room = allowed;
  }

  decode(block: Buffer): Fields {
    const fields = new Map<string, string>();
    const reader = new Reader(block);
    let size = 0;
    while (!reader.atEnd) {
      const field = this.#next(reader);
      if (field === undefined) continue;
      size += sizeOf(field);
      if (size > LARGEST_FIELDS) throw new Error(`header fields of more than ${LARGEST_FIELDS} bytes`);
      add(fields, ...field);
    }
    return fields;
  }

  /** RFC 7541, 6; undefined for a table that was made larger or smaller. */
  #next(reader: Reader): Field | undefined {
    const first = reader.peek();
    if (first >= 0x80) return this.#at(reader.integer(7));
    if (first >= 0x20 && first < 0x40) {
      this.#resize(reader.integer(5));
      return undefined;
    }
    const isKept = first >= 0x40;
    const index = reader.integer(isKept ? 6 : 4);
    const name = index === 0 ? reader.text() : this.#at(index)[0];
    const field: Field = [name, reader.text()];
    if (isKept) this.#keep(field);
    return field;
  }

  #at(index: number): Field {
    const field = STATIC[index - 1] ?? this.#table[index - 1 - STATIC.length];
    if (field === undefined) throw new Error(`header field ${index}, which is in no table`);
    return field;
  }

  #resize(room: number): void {
    if (room > this.#allowed) throw new Error('a header table larger than was allowed');
    this.#room = room;
    this.#evict();
  }

  #keep(field: Field): void {
    this.#table.unshift(field);
    this.#used += sizeOf(field);
    this.#evict();
  }

  #evict(): void {
    while (this.#used > this.#room) this.#used -= sizeOf(this.#table.pop() as Field);
  }
}

const sizeOf = ([name, value]: Field): number => name.length + value.length + ENTRY;

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

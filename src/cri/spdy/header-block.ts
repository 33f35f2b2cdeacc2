import { constants, createDeflate, createInflate, type Deflate, type Inflate } from 'node:zlib';
import { DICTIONARY } from './dictionary.js';
import { type Headers, SpdyError } from './frames.js';

/** Bytes of the decompressed headers of one frame. */
export const MAX_HEADER_BLOCK = 64 * 1024;

/** One direction's header compression, for a whole connection: blocks pass in the order of their frames. */
export interface HeaderContext<From, To> {
  pass(block: From): Promise<To>;
  close(): void;
}

/** Throws SpdyError for an invalid block, and for more than MAX_HEADER_BLOCK. */
export function createHeaderDecoder(): HeaderContext<Buffer, Headers> {
  const context = new ZlibContext(() => createInflate({ dictionary: DICTIONARY }));
  return { pass: async (block) => parseHeaders(await context.pass(block)), close: () => context.close() };
}

/** Throws SpdyError for more than MAX_HEADER_BLOCK; names must be in lower case. */
export function createHeaderEncoder(): HeaderContext<Headers, Buffer> {
  const context = new ZlibContext(() => createDeflate({ dictionary: DICTIONARY }));
  return { pass: (headers) => context.pass(serializeHeaders(headers)), close: () => context.close() };
}

/** A zlib stream that is flushed after every block; created on first use. */
class ZlibContext {
  readonly #make: () => Inflate | Deflate;
  #stream: Inflate | Deflate | undefined;
  #output: Buffer[] = [];
  #length = 0;

  constructor(make: () => Inflate | Deflate) {
    this.#make = make;
  }

  pass(block: Buffer): Promise<Buffer> {
    this.#stream ??= this.#open();
    const stream = this.#stream;
    return new Promise((resolve, reject) => {
      const fail = (error: Error) =>
        reject(new SpdyError(`bad header compression: ${error.message}`, { cause: error }));
      stream.once('error', fail);
      stream.write(block, (error) => {
        if (error) fail(error);
      });
      stream.flush(constants.Z_SYNC_FLUSH, () => {
        while (stream.read() !== null);
        stream.off('error', fail);
        if (stream.errored) return fail(stream.errored);
        const output = Buffer.concat(this.#output);
        this.#output = [];
        this.#length = 0;
        resolve(output);
      });
    });
  }

  close(): void {
    this.#stream?.destroy();
  }

  #open(): Inflate | Deflate {
    const stream = this.#make();
    stream.on('error', () => {});
    stream.on('data', (chunk: Buffer) => {
      this.#output.push(chunk);
      this.#length += chunk.length;
      if (this.#length > MAX_HEADER_BLOCK)
        stream.destroy(new SpdyError(`headers of more than ${MAX_HEADER_BLOCK} bytes`));
    });
    return stream;
  }
}

/** A count, then length and bytes of each name and value, all lengths in 32 bits. */
function serializeHeaders(headers: Headers): Buffer {
  const parts: Buffer[] = [];
  const number = (value: number) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(value);
    parts.push(bytes);
  };
  number(headers.size);
  for (const pair of headers)
    for (const text of pair) {
      const bytes = Buffer.from(text);
      number(bytes.length);
      parts.push(bytes);
    }
  const block = Buffer.concat(parts);
  if (block.length > MAX_HEADER_BLOCK)
    throw new SpdyError(`headers of ${block.length} bytes; up to ${MAX_HEADER_BLOCK} can be sent`);
  return block;
}

function parseHeaders(block: Buffer): Headers {
  let offset = 0;
  const take = (length: number) => {
    if (length > block.length - offset) throw new SpdyError('header block ends too early');
    offset += length;
    return block.subarray(offset - length, offset);
  };
  const number = () => take(4).readUInt32BE();
  const text = () => take(number()).toString();

  const headers = new Map<string, string>();
  for (let left = number(); left > 0; left--) {
    const name = text();
    if (name === '') throw new SpdyError('header name is empty');
    if (name !== name.toLowerCase()) throw new SpdyError(`header name "${name}" is not in lower case`);
    if (headers.has(name)) throw new SpdyError(`header "${name}" occurs twice`);
    headers.set(name, text());
  }
  if (offset !== block.length) throw new SpdyError('bytes left over after the headers');
  return headers;
}

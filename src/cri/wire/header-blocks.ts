import { Flag, FrameType, unpadded } from './frames.js';
import { FieldDecoder, type Fields, LARGEST_FIELDS } from './hpack.js';

/** Header blocks that are remembered: a server sends the same few again and again. */
const REMEMBERED = 32;

interface OpenBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly parts: Buffer[];
  size: number;
}

type Decode = (block: Buffer) => Fields;

type OnFields = (stream: number, isEnd: boolean, fields: Fields) => void;

/** Puts header blocks together from HEADERS and CONTINUATION (RFC 9113, 4.3). */
export class HeaderBlocks {
  readonly #decode: Decode;
  readonly #onFields: OnFields;
  #open: OpenBlock | undefined;

  constructor(decode: Decode, onFields: OnFields) {
    this.#decode = decode;
    this.#onFields = onFields;
  }

  /** False if the frame is about something else. Throws when another frame comes amid a block. */
  take(type: number, flags: number, stream: number, payload: Buffer): boolean {
    if (type === FrameType.headers && this.#open === undefined)
      this.#begin(flags, stream, unpadded(flags, payload));
    else if (type === FrameType.continuation && this.#open?.stream === stream)
      this.#goOn(flags, this.#open, payload);
    else if (type === FrameType.continuation || this.#open !== undefined)
      throw new Error('a header block that is interrupted, or none');
    else return false;
    return true;
  }

  #begin(flags: number, stream: number, part: Buffer): void {
    const isEnd = (flags & Flag.endStream) !== 0;
    if ((flags & Flag.endHeaders) === 0) this.#open = { stream, isEnd, parts: [part], size: part.length };
    else this.#onFields(stream, isEnd, this.#decode(part));
  }

  #goOn(flags: number, open: OpenBlock, part: Buffer): void {
    const { stream, isEnd, parts } = open;
    parts.push(part);
    open.size += part.length;
    if (open.size > LARGEST_FIELDS) throw new Error(`a header block of more than ${LARGEST_FIELDS} bytes`);
    if ((flags & Flag.endHeaders) === 0) return;
    this.#open = undefined;
    this.#onFields(stream, isEnd, this.#decode(Buffer.concat(parts)));
  }
}

/** Decodes for a peer that was told to keep no table here, so that the same block always says the same. */
export function rememberBlocks(): Decode {
  const decoder = new FieldDecoder(0);
  const known = new Map<string, Fields>();
  return (block) => {
    const key = block.toString('latin1');
    let fields = known.get(key);
    if (fields === undefined) {
      fields = decoder.decode(block);
      if (known.size < REMEMBERED) known.set(key, fields);
    }
    return fields;
  };
}

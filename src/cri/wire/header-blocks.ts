import { Flag, FrameType, unpadded } from './frames.js';
import { decodeFields, type Fields } from './hpack.js';

/** Header blocks that are remembered: a server sends the same few again and again. */
const REMEMBERED = 32;

interface OpenBlock {
  readonly stream: number;
  readonly isEnd: boolean;
  readonly parts: Buffer[];
}

type OnFields = (stream: number, isEnd: boolean, fields: Fields) => void;

/** Puts header blocks together from HEADERS and CONTINUATION (RFC 9113, 4.3). */
export class HeaderBlocks {
  readonly #onFields: OnFields;
  readonly #known = new Map<string, Fields>();
  #open: OpenBlock | undefined;

  constructor(onFields: OnFields) {
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
    if ((flags & Flag.endHeaders) === 0) this.#open = { stream, isEnd, parts: [part] };
    else this.#onFields(stream, isEnd, this.#decode(part));
  }

  #goOn(flags: number, { stream, isEnd, parts }: OpenBlock, part: Buffer): void {
    parts.push(part);
    if ((flags & Flag.endHeaders) === 0) return;
    this.#open = undefined;
    this.#onFields(stream, isEnd, this.#decode(Buffer.concat(parts)));
  }

  #decode(block: Buffer): Fields {
    const key = block.toString('latin1');
    let fields = this.#known.get(key);
    if (fields === undefined) {
      fields = decodeFields(block);
      if (this.#known.size < REMEMBERED) this.#known.set(key, fields);
    }
    return fields;
  }
}

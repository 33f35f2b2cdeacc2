import type { Writable } from 'node:stream';
import { encodeDataHead, encodePlainFrame, encodeSynReply } from './encode.js';
import { type SentPlainFrame, SpdyError, type SynReplyFrame } from './frames.js';
import { createHeaderEncoder } from './header-block.js';

/** Called when the bytes have left for the peer, or can't. */
export type Written = (error?: Error | null) => void;

/** Frames without data that may wait to leave: a peer that makes more, and reads none, is cut off. */
const MOST_WAITING = 4096;

/**
 * Writes frames to a transport. Replies are compressed one after another and leave in the order of the calls;
 * other frames leave at once.
 */
export class FrameWriter {
  readonly #transport: Writable;
  readonly #encoder = createHeaderEncoder();
  #headers: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(transport: Writable) {
    this.#transport = transport;
  }

  data(streamId: number, data: Buffer, fin: boolean, written: Written): void {
    const transport = this.#transport;
    const head = encodeDataHead({ kind: 'data', streamId, fin, data });
    transport.cork();
    if (data.length === 0) transport.write(head, written);
    else {
      transport.write(head);
      transport.write(data, written);
    }
    transport.uncork();
  }

  plain(frame: SentPlainFrame): void {
    this.#write(encodePlainFrame(frame));
  }

  /** Resolves once the frame stands in the transport's queue. */
  reply(frame: SynReplyFrame): Promise<void> {
    this.#headers = this.#headers.then(async () => {
      const block = await this.#encoder.pass(frame.headers);
      this.#write(encodeSynReply(frame, block));
    });
    return this.#headers;
  }

  #write(bytes: Buffer): void {
    if (!this.#transport.writable) return;
    if (++this.#waiting > MOST_WAITING) {
      this.#transport.destroy(new SpdyError(`more than ${MOST_WAITING} frames wait for the client`));
      return;
    }
    this.#transport.write(bytes, () => {
      this.#waiting--;
    });
  }

  close(): void {
    this.#encoder.close();
  }
}

import type { Writable } from 'node:stream';
import { encodeDataHead, encodePlainFrame, encodeSynReply } from './encode.js';
import { type SentPlainFrame, SpdyError, type SynReplyFrame } from './frames.js';
import { createHeaderEncoder } from './header-block.js';

/** Called when the bytes have been sent, or can't be. */
export type Written = (error?: Error | null) => void;

/** Waiting frames without data: a peer that causes more, and reads none, is disconnected. */
const MOST_WAITING = 4096;

/** Replies are compressed one by one and sent in the order of the calls; other frames are sent immediately. */
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

  /** Resolves once the frame is in the transport's queue. */
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

import type { Writable } from 'node:stream';
import { encodeDataHead, encodePlainFrame, encodeSynReply } from './encode.js';
import type { SentPlainFrame, SynReplyFrame } from './frames.js';
import { createHeaderEncoder } from './header-block.js';

/** Called when the bytes have left for the peer, or can't. */
export type Written = (error?: Error | null) => void;

/**
 * Writes frames to a transport. Replies are compressed one after another and leave in the order of the calls;
 * other frames leave at once.
 */
export class FrameWriter {
  readonly #transport: Writable;
  readonly #encoder = createHeaderEncoder();
  #headers: Promise<void> = Promise.resolve();

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
    if (this.#transport.writable) this.#transport.write(encodePlainFrame(frame));
  }

  /** Resolves once the frame stands in the transport's queue. */
  reply(frame: SynReplyFrame): Promise<void> {
    this.#headers = this.#headers.then(async () => {
      const block = await this.#encoder.pass(frame.headers);
      if (this.#transport.writable) this.#transport.write(encodeSynReply(frame, block));
    });
    return this.#headers;
  }

  close(): void {
    this.#encoder.close();
  }
}

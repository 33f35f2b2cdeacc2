import { setMaxListeners } from 'node:events';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import type { Account } from '../../base/input/account.js';
import { decodeFrames } from './decode.js';
import { FrameWriter } from './frame-writer.js';
import { type Frame, GoAwayStatus, ResetStatus, SpdyError, type SynStreamFrame } from './frames.js';
import { SpdyStream } from './stream.js';
import { Unread } from './unread.js';

/** Open streams of a peer; more are refused. */
export const MAX_STREAMS = 1024;

/** Ms after which a stopped connection is tested: unread bytes hide a disconnect, but a write doesn't. */
const STALL_PROBE = 10_000;

export interface SpdyServerOptions {
  readonly clock: Clock;
  /** Pays for the unread bytes of its streams; without memory the connection is reset. */
  readonly account?: Account | undefined;
  /** Accepts a new stream; false refuses it. */
  readonly accept: (stream: SpdyStream) => boolean;
}

/**
 * The server's end of a SPDY/3.1 connection, without a send window: Go's client never sends WINDOW_UPDATE
 * (moby/spdystream #2), so waiting for one would stall. An unread stream stops the whole connection, and so the peer,
 * instead of filling memory.
 */
export class SpdyConnection {
  /** Aborts when the connection has ended, whichever side ended it. */
  readonly closed: AbortSignal;
  readonly #closing = new AbortController();
  readonly #transport: Duplex;
  readonly #writer: FrameWriter;
  readonly #options: SpdyServerOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #unread: Unread;
  #lastStreamId = 0;
  #lastPing = 0;

  constructor(transport: Duplex, options: SpdyServerOptions) {
    this.closed = this.#closing.signal;
    // Each stream adds a listener.
    setMaxListeners(0, this.closed);
    this.#transport = transport;
    this.#writer = new FrameWriter(transport);
    this.#options = options;
    this.#unread = new Unread(options.account, () => this.destroy());
    transport.on('error', () => {});
    transport.once('close', () => this.#over());
    void this.#read();
  }

  /** Sends GOAWAY and waiting frames, and closes when the peer does or after `linger` ms. */
  close(linger: number): void {
    if (this.closed.aborted) return;
    this.#goAway(GoAwayStatus.ok);
    this.#transport.end();
    const timer = this.#options.clock.setTimer(linger, () => this.destroy());
    this.closed.addEventListener('abort', () => timer.cancel(), { once: true });
  }

  destroy(): void {
    this.#transport.destroy();
    this.#over();
  }

  async #read(): Promise<void> {
    try {
      for await (const frame of decodeFrames(this.#transport)) {
        if (frame.kind === 'goaway') break;
        const stalled = this.#handle(frame);
        if (stalled !== undefined) await this.#probeWhile(stalled);
      }
    } catch (error) {
      if (error instanceof SpdyError) this.#goAway(GoAwayStatus.protocolError);
    } finally {
      this.destroy();
    }
  }

  #handle(frame: Frame): Promise<void> | undefined {
    switch (frame.kind) {
      case 'syn-stream':
        this.#open(frame);
        return undefined;
      case 'data': {
        const stream = this.#streams.get(frame.streamId);
        if (stream === undefined) {
          this.#dataForNobody(frame.streamId);
          return undefined;
        }
        const stalled = stream.receive(frame.data);
        if (frame.fin) stream.receiveFin();
        return stalled;
      }
      case 'headers':
      case 'syn-reply':
        if (frame.fin) this.#streams.get(frame.streamId)?.receiveFin();
        return undefined;
      case 'rst-stream':
        this.#streams.get(frame.streamId)?.receiveReset();
        return undefined;
      case 'ping':
        // An even id answers the server's own ping (SPDY/3 §2.6.5).
        if (frame.id % 2 === 1) this.#writer.plain(frame);
        return undefined;
      default:
        return undefined;
    }
  }

  #open({ streamId, headers, fin }: SynStreamFrame): void {
    // SPDY/3 §2.3.2: a client's ids are odd and only grow.
    if (streamId % 2 === 0 || streamId <= this.#lastStreamId) {
      this.#reset(streamId, ResetStatus.protocolError);
      return;
    }
    this.#lastStreamId = streamId;
    if (this.#streams.size >= MAX_STREAMS) {
      this.#reset(streamId, ResetStatus.refusedStream);
      return;
    }
    // Later frames must wait for the reply, which waits for its compression.
    let replied: Promise<void> = Promise.resolve();
    const stream = new SpdyStream(streamId, headers, {
      unread: this.#unread,
      send: (data, last, written) => {
        replied.then(() => this.#writer.data(streamId, data, last, written), written);
      },
      release: (reset) => {
        if (!this.#streams.delete(streamId) || !reset) return;
        replied.then(() => this.#reset(streamId, ResetStatus.cancel)).catch(() => {});
      },
    });
    if (!this.#options.accept(stream)) {
      stream.destroy();
      this.#reset(streamId, ResetStatus.refusedStream);
      return;
    }
    this.#streams.set(streamId, stream);
    replied = this.#writer.reply({ kind: 'syn-reply', streamId, fin: false, headers: new Map() });
    replied.catch(() => this.destroy());
    if (fin) stream.receiveFin();
  }

  /** Data may still arrive for an ended stream; for one that never existed, the peer gets an error. */
  #dataForNobody(streamId: number): void {
    if (streamId > this.#lastStreamId) this.#reset(streamId, ResetStatus.invalidStream);
  }

  async #probeWhile(stalled: Promise<void>): Promise<void> {
    const { clock } = this.#options;
    const probe = () => {
      this.#lastPing = (this.#lastPing % 0x7fff_fffe) + 2;
      this.#writer.plain({ kind: 'ping', id: this.#lastPing });
      timer = clock.setTimer(STALL_PROBE, probe);
    };
    let timer = clock.setTimer(STALL_PROBE, probe);
    try {
      await stalled;
    } finally {
      timer.cancel();
    }
  }

  #reset(streamId: number, status: number): void {
    this.#writer.plain({ kind: 'rst-stream', streamId, status });
  }

  #goAway(status: number): void {
    this.#writer.plain({ kind: 'goaway', lastStreamId: this.#lastStreamId, status });
  }

  #over(): void {
    this.#unread.close();
    if (this.closed.aborted) return;
    this.#closing.abort(new SpdyError('the client closed the connection'));
    for (const stream of this.#streams.values()) stream.receiveReset();
    this.#streams.clear();
    this.#writer.close();
  }
}

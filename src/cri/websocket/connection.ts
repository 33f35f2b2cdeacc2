import { setMaxListeners } from 'node:events';
import type { RawData, WebSocket } from 'ws';
import type { Clock, Timer } from '../../base/clock/clock.js';
import { Channel } from './channel.js';

/** As for SPDY: while reading is stopped, only writing shows that the peer has gone. */
const STALL_PROBE = 10_000;

/** Messages of v5 that close the writing half of a channel: this number, then the channel's. */
const CLOSE_CHANNEL = 255;

export interface ChannelCoding {
  /** Text messages: the channel as a digit, then base64. Otherwise binary: the channel as a byte, then the data. */
  readonly base64: boolean;
  /** A client may close its half of a channel (v5.channel.k8s.io). */
  readonly halfClose: boolean;
}

export interface WebSocketOptions {
  readonly clock: Clock;
  readonly coding: ChannelCoding;
  /** Number of channels, which are numbered from 0. */
  readonly channels: number;
}

/** The server's end of a connection whose messages each belong to a numbered channel. */
export class WebSocketConnection {
  /** Aborts when the connection has ended, whichever side ended it. */
  readonly closed: AbortSignal;
  readonly channels: readonly Channel[];
  readonly #closing = new AbortController();
  readonly #socket: WebSocket;
  readonly #options: WebSocketOptions;
  readonly #full = new Set<number>();
  #probe: Timer | undefined;

  constructor(socket: WebSocket, options: WebSocketOptions) {
    this.closed = this.#closing.signal;
    // Each channel adds a listener.
    setMaxListeners(0, this.closed);
    this.#socket = socket;
    this.#options = options;
    this.channels = Array.from({ length: options.channels }, (_, number) => this.#channel(number));
    socket.on('message', (message) => this.#receive(bytesOf(message)));
    socket.on('error', () => {});
    socket.on('close', () => this.#over());
  }

  send(channel: number, data: Buffer, written?: (error?: Error | null) => void): void {
    const message = this.#options.coding.base64
      ? String(channel) + data.toString('base64')
      : Buffer.concat([Buffer.of(channel), data]);
    this.#socket.send(message, (error) => written?.(error ?? null));
  }

  /** Closes when the sent data has arrived; immediately if the client doesn't answer for `linger` ms. */
  close(linger: number): void {
    if (this.closed.aborted) return;
    // The answer follows unread data, which is discarded here.
    for (const channel of this.channels) channel.resume();
    this.#socket.close(1000);
    const timer = this.#options.clock.setTimer(linger, () => this.#socket.terminate());
    this.closed.addEventListener('abort', () => timer.cancel(), { once: true });
  }

  #channel(number: number): Channel {
    return new Channel({
      send: (data, written) => this.send(number, data, written),
      resume: () => this.#resume(number),
    });
  }

  #receive(message: Buffer): void {
    const { base64, halfClose } = this.#options.coding;
    if (message.length === 0) return;
    const number = message.readUInt8(0) - (base64 ? 0x30 : 0);
    if (halfClose && number === CLOSE_CHANNEL) {
      this.channels[message[1] ?? CLOSE_CHANNEL]?.receiveEnd();
      return;
    }
    const channel = this.channels[number];
    const payload = message.subarray(1);
    const data = base64 ? Buffer.from(payload.toString('latin1'), 'base64') : payload;
    if (channel === undefined || data.length === 0) return;
    if (!channel.receive(data)) this.#pause(number);
  }

  #pause(number: number): void {
    this.#full.add(number);
    if (this.#socket.isPaused) return;
    this.#socket.pause();
    const { clock } = this.#options;
    const probe = () => {
      this.#socket.ping();
      this.#probe = clock.setTimer(STALL_PROBE, probe);
    };
    this.#probe = clock.setTimer(STALL_PROBE, probe);
  }

  #resume(number: number): void {
    if (!this.#full.delete(number) || this.#full.size > 0) return;
    this.#probe?.cancel();
    this.#probe = undefined;
    this.#socket.resume();
  }

  #over(): void {
    this.#probe?.cancel();
    this.#closing.abort(new Error('the client closed the connection'));
    for (const channel of this.channels) channel.destroy();
  }
}

export function bytesOf(message: RawData): Buffer {
  if (Buffer.isBuffer(message)) return message;
  return Array.isArray(message) ? Buffer.concat(message) : Buffer.from(message);
}

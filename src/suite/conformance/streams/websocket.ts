import { once } from 'node:events';
import { WebSocket } from 'ws';
import { bytesOf } from '../../../cri/websocket/connection.js';
import { addressOf, notTaken, Refused, type StreamChannel, type StreamProtocol } from './session.js';

/** With v5, a channel’s half can be closed: this number, then the channel’s. */
const CLOSE = 255;
const V5 = 'v5.channel.k8s.io';
const V4 = 'v4.channel.k8s.io';

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;

class Channel implements StreamChannel {
  readonly #socket: WebSocket;
  readonly #number: number;
  readonly #chunks: Buffer[] = [];
  hasEnded = false;

  constructor(socket: WebSocket, number: number) {
    this.#socket = socket;
    this.#number = number;
  }

  received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  take(data: Buffer): void {
    this.#chunks.push(data);
  }

  send(data: Buffer): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#socket.send(Buffer.concat([Buffer.of(this.#number), data]), (error) =>
        error ? reject(notTaken(error)) : resolve(),
      ),
    );
  }

  end(): boolean {
    if (this.#socket.protocol !== V5) return false;
    this.#socket.send(Buffer.of(CLOSE, this.#number));
    return true;
  }

  reset(): void {
    this.#socket.terminate();
  }
}

export const webSocket: StreamProtocol = {
  name: 'WebSocket',
  open: async ({ url, stdin, tty }) => {
    const socket = new WebSocket(addressOf(url).replace(/^http/, 'ws'), [V5, V4]);
    const channels = Object.values(CHANNELS).map((number) => new Channel(socket, number));
    socket.on('message', (message) => {
      const bytes = bytesOf(message);
      if (bytes.length > 1) channels[bytes.readUInt8(0)]?.take(bytes.subarray(1));
    });
    socket.on('close', () => {
      for (const channel of channels) channel.hasEnded = true;
    });
    try {
      await once(socket, 'open');
    } catch (error) {
      throw new Refused((error as Error).message);
    }
    socket.on('error', () => {});
    const channel = (name: keyof typeof CHANNELS) => channels[CHANNELS[name]] as Channel;
    return {
      error: channel('error'),
      stdin: stdin ? channel('stdin') : undefined,
      stdout: channel('stdout'),
      stderr: tty ? undefined : channel('stderr'),
      resize: tty ? channel('resize') : undefined,
      close: () => socket.terminate(),
    };
  },
};

import { request } from 'node:http';
import type { Socket } from 'node:net';
import { decodeFrames } from '../../../cri/spdy/decode.js';
import { controlFrame, words } from '../../../cri/spdy/encode.js';
import { FrameWriter } from '../../../cri/spdy/frame-writer.js';
import { FrameType } from '../../../cri/spdy/frames.js';
import { createHeaderEncoder } from '../../../cri/spdy/header-block.js';
import { addressOf, notTaken, Refused, type StreamChannel, type StreamProtocol } from './session.js';

/** Status of an abandoned stream (SPDY/3 §2.6.3). */
const CANCEL = 5;

const EMPTY = Buffer.alloc(0);

class SpdyChannel implements StreamChannel {
  readonly id: number;
  readonly #writer: FrameWriter;
  readonly #chunks: Buffer[] = [];
  hasEnded = false;

  constructor(id: number, writer: FrameWriter) {
    this.id = id;
    this.#writer = writer;
  }

  received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  take(data: Buffer, isLast: boolean): void {
    if (data.length > 0) this.#chunks.push(data);
    if (isLast) this.hasEnded = true;
  }

  send(data: Buffer): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#writer.data(this.id, data, false, (error) => (error ? reject(notTaken(error)) : resolve())),
    );
  }

  end(): boolean {
    this.#writer.data(this.id, EMPTY, true, () => {});
    return true;
  }

  reset(): void {
    this.#writer.plain({ kind: 'rst-stream', streamId: this.id, status: CANCEL });
  }
}

export class SpdyClient {
  readonly #socket: Socket;
  readonly #writer: FrameWriter;
  readonly #encoder = createHeaderEncoder();
  readonly #channels = new Map<number, SpdyChannel>();
  #opened: Promise<void> = Promise.resolve();
  #nextId = 1;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#writer = new FrameWriter(socket);
    socket.on('error', () => {});
    void this.#read();
  }

  /** Rejects with Refused unless the server upgrades the connection. */
  static async connect(url: string, protocol: string): Promise<SpdyClient> {
    return new SpdyClient(await upgrade(url, protocol));
  }

  async open(headers: Readonly<Record<string, string>>): Promise<StreamChannel> {
    const id = this.#nextId;
    this.#nextId += 2;
    const channel = new SpdyChannel(id, this.#writer);
    this.#channels.set(id, channel);
    // One compression context has all headers, in the order of their frames.
    this.#opened = this.#opened.then(async () => {
      const block = await this.#encoder.pass(new Map(Object.entries(headers)));
      const priority = Buffer.alloc(2);
      if (this.#socket.writable)
        this.#socket.write(controlFrame(FrameType.synStream, 0, words(id, 0), priority, block));
    });
    await this.#opened;
    return channel;
  }

  close(): void {
    this.#encoder.close();
    this.#writer.close();
    this.#socket.destroy();
  }

  async #read(): Promise<void> {
    try {
      for await (const frame of decodeFrames(this.#socket)) {
        if (frame.kind === 'data') this.#channels.get(frame.streamId)?.take(frame.data, frame.fin);
        else if (frame.kind === 'rst-stream') this.#channels.get(frame.streamId)?.take(EMPTY, true);
        else if (frame.kind === 'ping' && frame.id % 2 === 0) this.#writer.plain(frame);
      }
    } catch {
      // A broken connection is an ended one.
    }
    for (const channel of this.#channels.values()) channel.take(EMPTY, true);
  }
}

function upgrade(url: string, protocol: string): Promise<Socket> {
  const headers = { Connection: 'Upgrade', Upgrade: 'SPDY/3.1', 'X-Stream-Protocol-Version': protocol };
  return new Promise((resolve, reject) => {
    const call = request(addressOf(url), { method: 'POST', headers });
    call.once('error', (error) => reject(new Refused(error.message)));
    call.once('upgrade', (_, socket: Socket, head: Buffer) => {
      if (head.length > 0) socket.unshift(head);
      resolve(socket);
    });
    call.once('response', (response) => {
      response.resume();
      reject(new Refused(`status ${response.statusCode} instead of an upgrade to SPDY`));
    });
    call.end();
  });
}

export const spdy: StreamProtocol = {
  name: 'SPDY',
  open: async ({ url, stdin, tty }) => {
    const client = await SpdyClient.connect(url, 'v4.channel.k8s.io');
    const open = (streamtype: string) => client.open({ streamtype });
    const error = await open('error');
    return {
      error,
      stdin: stdin ? await open('stdin') : undefined,
      stdout: await open('stdout'),
      stderr: tty ? undefined : await open('stderr'),
      resize: tty ? await open('resize') : undefined,
      close: () => client.close(),
    };
  },
};

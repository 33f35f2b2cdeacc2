import { request } from 'node:http';
import type { Socket } from 'node:net';
import { decodeFrames } from '../../../src/cri/spdy/decode.js';
import { FrameWriter } from '../../../src/cri/spdy/frame-writer.js';
import type { Frame, PlainFrame } from '../../../src/cri/spdy/frames.js';
import { createHeaderEncoder } from '../../../src/cri/spdy/header-block.js';
import { encodeHeaderFrame, encodePlainFrame } from '../../support/network/spdy-frames.js';

export interface Upgraded {
  readonly socket: Socket;
  readonly protocol: string | undefined;
}

export interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: NodeJS.Dict<string | string[]>;
}

/** Requests an upgrade; resolves with the socket, or with the response if it is refused. */
export function upgrade(
  url: string,
  headers: Record<string, string | string[]>,
  method = 'POST',
): Promise<Upgraded | Answer> {
  return new Promise((resolve, reject) => {
    const call = request(url, { method, headers: { Connection: 'Upgrade', ...headers } });
    call.once('error', reject);
    call.once('upgrade', (response, socket: Socket, head) => {
      if (head.length > 0) socket.unshift(head);
      resolve({ socket, protocol: response.headers['x-stream-protocol-version'] as string | undefined });
    });
    call.once('response', (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk) => {
        text += chunk;
      });
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text, headers: response.headers }),
      );
    });
    call.end();
  });
}

export const SPDY = { Upgrade: 'SPDY/3.1' };
export const V4 = 'v4.channel.k8s.io';

/** Client side of a SPDY connection: collects the data of each stream. */
export class SpdyClient {
  readonly socket: Socket;
  readonly #writer: FrameWriter;
  readonly #encoder = createHeaderEncoder();
  #opened: Promise<void> = Promise.resolve();
  readonly #received = new Map<number, Buffer[]>();
  readonly #ended = new Set<number>();
  readonly frames: Frame[] = [];
  #nextId = 1;
  readonly #waiting: (() => void)[] = [];
  over = false;

  constructor(socket: Socket) {
    this.socket = socket;
    this.#writer = new FrameWriter(socket);
    socket.on('error', () => {});
    void this.#read();
  }

  static async connect(url: string, protocols: string | string[] = V4): Promise<SpdyClient> {
    const result = await upgrade(url, { ...SPDY, 'X-Stream-Protocol-Version': protocols });
    if (!('socket' in result)) throw new Error(`refused: ${result.status} ${result.text}`);
    return new SpdyClient(result.socket);
  }

  async open(headers: Record<string, string>): Promise<number> {
    const streamId = this.#nextId;
    this.#nextId += 2;
    // One compression context has all headers, in the order of their frames.
    this.#opened = this.#opened.then(async () => {
      const frame = {
        kind: 'syn-stream',
        streamId,
        associatedId: 0,
        priority: 0,
        fin: false,
        unidirectional: false,
        headers: new Map(Object.entries(headers)),
      } as const;
      const block = await this.#encoder.pass(frame.headers);
      if (this.socket.writable) this.socket.write(encodeHeaderFrame(frame, block));
    });
    await this.#opened;
    return streamId;
  }

  send(streamId: number, data: string | Buffer, fin = false): Promise<void> {
    return new Promise((resolve, reject) =>
      this.#writer.data(streamId, Buffer.from(data), fin, (error) => (error ? reject(error) : resolve())),
    );
  }

  control(frame: PlainFrame): void {
    if (this.socket.writable) this.socket.write(encodePlainFrame(frame));
  }

  /** Data received on a stream. */
  text(streamId: number): string {
    return this.bytes(streamId).toString();
  }

  bytes(streamId: number): Buffer {
    return Buffer.concat(this.#received.get(streamId) ?? []);
  }

  /** Resolves when `holds` returns true; checked whenever data arrives. */
  async until(holds: () => boolean): Promise<void> {
    while (!holds()) {
      if (this.over) throw new Error('the connection ended before');
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
      });
    }
  }

  ended(streamId: number): Promise<void> {
    return this.until(() => this.#ended.has(streamId));
  }

  close(): void {
    this.#writer.close();
    this.#encoder.close();
    this.socket.destroy();
  }

  #changed(): void {
    for (const wake of this.#waiting.splice(0)) wake();
  }

  async #read(): Promise<void> {
    try {
      for await (const frame of decodeFrames(this.socket)) {
        if (frame.kind === 'data') {
          const chunks = this.#received.get(frame.streamId) ?? [];
          chunks.push(frame.data);
          this.#received.set(frame.streamId, chunks);
          if (frame.fin) this.#ended.add(frame.streamId);
        } else this.frames.push(frame);
        this.#changed();
      }
    } catch {
      // A broken connection is handled like a closed one.
    }
    this.over = true;
    this.#changed();
  }
}

/** Opens the streams of an exec or attach; returns their ids by type. */
export async function openSession<Type extends string>(
  client: SpdyClient,
  ...types: Type[]
): Promise<Record<Type | 'error', number>> {
  const ids: [string, number][] = [];
  for (const streamtype of ['error', ...types]) ids.push([streamtype, await client.open({ streamtype })]);
  return Object.fromEntries(ids) as Record<Type | 'error', number>;
}

import {
  createServer,
  type Http2Server,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import { join } from 'node:path';
import { Metadata } from '@grpc/grpc-js';
import { afterEach, beforeEach } from 'vitest';
import { type Channel, type OutgoingCall, openChannel } from '../../../src/cri/client/channel.js';
import type { CallStatus } from '../../../src/cri/status-code.js';
import { useTemporaryDirectories } from '../temporary.js';

/** A server's handling of a call, below gRPC. */
export type Handler = (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => void;

export interface Ended {
  readonly status: CallStatus;
  readonly messages: readonly Buffer[];
}

/** An HTTP/2 server without gRPC, and its client; new for each test. */
export class BareServer {
  path = '';
  handle: Handler = () => {};
  sessions: ServerHttp2Session[] = [];
  channel: Channel = openChannel('unix:///nowhere');
  #server: Http2Server | undefined;

  async open(directory: string): Promise<void> {
    this.path = join(directory, 'h2.sock');
    this.channel = openChannel(`unix://${this.path}`);
    await this.serve();
  }

  async serve(settings = {}): Promise<void> {
    this.sessions = [];
    const server = createServer({ settings });
    this.#server = server;
    server.on('session', (session) => this.sessions.push(session));
    server.on('stream', (stream, headers) => {
      stream.on('error', () => {});
      this.handle(stream, headers);
    });
    await new Promise<void>((resolve) => server.listen(this.path, resolve));
  }

  /** Stops listening. */
  close(): void {
    this.#server?.close();
  }

  end(): void {
    this.channel.close();
    for (const session of this.sessions) session.destroy();
    this.close();
  }

  /** Calls with a message of `size` bytes; `read` decides after each reply whether to read the next. */
  call(
    size = 0,
    read: (call: OutgoingCall, count: number) => boolean = () => true,
    deadline?: number,
  ): Promise<Ended> {
    return new Promise((resolve) => {
      const messages: Buffer[] = [];
      const request = { path: '/a/B', metadata: new Metadata(), message: Buffer.alloc(size, 7), deadline };
      const made = this.channel.start(request, {
        message: (bytes) => {
          messages.push(bytes);
          if (read(made, messages.length)) made.read();
        },
        end: ({ code, details, unreached }) =>
          resolve({ status: { code, details, ...(unreached && { unreached }) }, messages }),
      });
    });
  }
}

/** Opens the server before each test, and ends it after. */
export function useBareServer(): BareServer {
  const temporary = useTemporaryDirectories();
  const bare = new BareServer();
  beforeEach(() => bare.open(temporary()));
  afterEach(() => bare.end());
  return bare;
}

/** Trailers of a successful call. */
export const OK = { 'grpc-status': '0' };

/** A message in gRPC's form: uncompressed, with a length prefix. */
export function withPrefix(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

/** Sends headers, bytes and trailers. */
export function answer(
  stream: ServerHttp2Stream,
  bytes: Buffer,
  trailers: Record<string, string> = OK,
): void {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers(trailers));
  stream.end(bytes);
}

import { createSecureServer, createServer, type Http2Server, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { Clock } from '../../../base/clock/clock.js';
import type { Process } from '../../process/process.js';
import type { Certificate } from './http-server.js';

/** A server's reply to a unary call: the reply's bytes, or the code and text of a status. */
export type GrpcAnswer = { readonly reply: Buffer } | { readonly code: number; readonly text: string };

export type GrpcHandler = (path: string, message: Buffer) => Promise<GrpcAnswer>;

/** Prefix of each message: a flag for compression, and four bytes of length (gRPC over HTTP/2). */
const PREFIX = 5;
/** Bytes of a request. */
const LONGEST = 64 * 1024;
const INTERNAL = 13;
const RESOURCE_EXHAUSTED = 8;

/** Answers unary gRPC calls on a port of the pod, over TLS with a certificate. Rejects if port or certificate fail. */
export async function listenGrpc(
  process: Process,
  port: number,
  handle: GrpcHandler,
  certificate?: Certificate,
): Promise<void> {
  const server = certificate === undefined ? createServer() : createSecureServer(certificate);
  answerCalls(process.clock, server, handle);
  await process.listen(port, (connection: Duplex) => void server.emit('connection', connection));
}

export function answerCalls(clock: Clock, server: Http2Server, handle: GrpcHandler): void {
  server.on('stream', (stream, headers) => {
    stream.on('error', () => {});
    void clock
      .run(async () => answer(stream, await called(stream, String(headers[':path']), handle)))
      .catch(() => stream.destroy());
  });
  server.on('sessionError', () => {});
}

async function called(stream: ServerHttp2Stream, path: string, handle: GrpcHandler): Promise<GrpcAnswer> {
  const pieces: Buffer[] = [];
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    pieces.push(piece);
    size += piece.length;
    if (size > LONGEST)
      return { code: RESOURCE_EXHAUSTED, text: `received message larger than max (${size} vs. ${LONGEST})` };
  }
  return handle(path, Buffer.concat(pieces).subarray(PREFIX)).catch((error: Error) => ({
    code: INTERNAL,
    text: error.message,
  }));
}

/** The status of a call without a message is in its headers, otherwise in its trailers. */
function answer(stream: ServerHttp2Stream, given: GrpcAnswer): void {
  if (stream.destroyed) return;
  const headers = { ':status': 200, 'content-type': 'application/grpc' };
  if ('code' in given) {
    const status = { 'grpc-status': given.code, 'grpc-message': encodeURIComponent(given.text) };
    stream.respond({ ...headers, ...status }, { endStream: true });
    return;
  }
  stream.respond(headers, { waitForTrailers: true });
  stream.once('wantTrailers', () => stream.sendTrailers({ 'grpc-status': 0 }));
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(given.reply.length, 1);
  stream.end(Buffer.concat([prefix, given.reply]));
}

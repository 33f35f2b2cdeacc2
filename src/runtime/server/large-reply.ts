import { Metadata, type ServerUnaryCall } from '@grpc/grpc-js';
import type { Encoded } from '../../cri/service.js';
import { wireStreamOf } from './grpc-js-internals.js';

/** Replies of this size and more go to the wire without a copy. */
const LARGE = 64 * 1024;

/** Prefix of each message: a flag for compression, and four bytes of length (gRPC over HTTP/2). */
const PREFIX = 5;

/**
 * Sends a large reply; the status has to follow. grpc-js would copy it into another allocation, and with some MiB a
 * call that makes the garbage collector traverse the whole heap every few calls. False if the reply is small or the
 * wire can't be reached: then the caller sends it the usual way.
 */
export function sendLarge(call: ServerUnaryCall<Buffer, Buffer>, reply: Encoded): boolean {
  if (reply.length < LARGE) return false;
  const stream = wireStreamOf(call);
  if (stream === undefined || stream.destroyed || call.cancelled) return false;
  call.sendMetadata(new Metadata());
  if (!stream.headersSent) return false;
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(reply.length, 1);
  stream.cork();
  stream.write(prefix);
  stream.write(reply);
  stream.uncork();
  return true;
}

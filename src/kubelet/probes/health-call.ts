import { type ClientHttp2Session, connect, constants, type IncomingHttpHeaders } from 'node:http2';
import { GrowingBuffer } from '../../base/input/growing-buffer.js';
import { unescapePercent } from '../../base/input/unescape-percent.js';
import type { Connection } from '../../base/network/network.js';
import { NO_TRAILERS, statusOfBreak, statusOfHttp, statusOfReset } from '../../cri/client/go-status.js';
import { type CallStatus, Code } from '../../cri/status-code.js';

export interface HealthCall {
  readonly authority: string;
  readonly path: string;
  readonly userAgent: string;
  readonly message: Buffer;
}

/** Prefix of each message: compression flag and four bytes of length (gRPC over HTTP/2). */
const PREFIX = 5;
/** Largest message in bytes (grpc-go, defaultClientMaxReceiveMessageSize). */
const LARGEST = 4 * 1024 * 1024;

/** Speaks HTTP/2. Resolves once the server has sent its settings; rejects if it closes first. */
export function openSession(authority: string, connection: Connection): Promise<ClientHttp2Session> {
  return new Promise((resolve, reject) => {
    const session = connect(`http://${authority}`, { createConnection: () => connection });
    session.once('remoteSettings', () => resolve(session));
    session.once('close', () => reject(new Error('EOF')));
    session.on('error', reject);
  });
}

/** Resolves with the status, in the words of Go's gRPC, and the reply. Never rejects. */
export function callOnce(
  session: ClientHttp2Session,
  { authority, path, userAgent, message }: HealthCall,
): Promise<{ readonly status: CallStatus; readonly reply: Buffer }> {
  return new Promise((resolve) => {
    const stream = session.request({
      ':method': 'POST',
      ':scheme': 'http',
      ':path': path,
      ':authority': authority,
      te: 'trailers',
      'content-type': 'application/grpc',
      'user-agent': userAgent,
    });
    const received = new GrowingBuffer();
    let status: CallStatus | undefined;
    const headers = (fields: IncomingHttpHeaders) => {
      status = statusOf(fields) ?? status;
    };
    stream.on('response', headers);
    stream.on('trailers', headers);
    stream.on('data', (bytes: Buffer) => {
      received.append(bytes);
      const refusal = refusalOf(received.bytes());
      if (refusal === undefined || stream.destroyed) return;
      status = refusal;
      stream.close(constants.NGHTTP2_CANCEL);
    });
    // The code with which the stream closes shows the cause.
    stream.on('error', () => {});
    stream.on('close', () =>
      resolve({
        status: status ?? endOf(session, stream.rstCode),
        reply: received.bytes().subarray(PREFIX),
      }),
    );
    stream.end(withPrefix(message));
  });
}

/** Why grpc-go refuses the received part of a reply; undefined if it accepts it. */
function refusalOf(received: Buffer): CallStatus | undefined {
  if (received.length < PREFIX) return undefined;
  const length = received.readUInt32BE(1);
  if (length > LARGEST)
    return {
      code: Code.RESOURCE_EXHAUSTED,
      details: `grpc: received message larger than max (${length} vs. ${LARGEST})`,
    };
  if (received.length <= PREFIX + length) return undefined;
  const details =
    'cardinality violation: expected <EOF> for non server-streaming RPCs, but received another message';
  return { code: Code.INTERNAL, details };
}

/** Status of a call without one: the connection is gone, the server reset the stream, or sent no trailers. */
function endOf(session: ClientHttp2Session, http2Code: number): CallStatus {
  if (session.destroyed || session.closed) return statusOfBreak('EOF');
  return http2Code === constants.NGHTTP2_NO_ERROR ? NO_TRAILERS : statusOfReset(http2Code);
}

/** Undefined for headers that precede a reply. */
function statusOf(fields: IncomingHttpHeaders): CallStatus | undefined {
  const code = fields['grpc-status'];
  if (code !== undefined)
    return { code: Number(code), details: unescapePercent(String(fields['grpc-message'] ?? '')) };
  const http = fields[':status'];
  return http === undefined || Number(http) === 200 ? undefined : statusOfHttp(String(http));
}

function withPrefix(message: Buffer): Buffer {
  const prefix = Buffer.alloc(PREFIX);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}

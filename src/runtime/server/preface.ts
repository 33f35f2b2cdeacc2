import type { Duplex } from 'node:stream';

/** How an HTTP/2 client begins (RFC 9113, 3.4). */
const PREFACE = Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n');

/** An empty SETTINGS frame, a server's first frame, and GOAWAY for stream 0 with NO_ERROR (RFC 9113, 6.8). */
const FAREWELL = Buffer.from('000000040000000000' + '000008070000000000' + '0000000000000000', 'hex');

/** Greets an HTTP/2 client and closes its connection: it may try again on another one. */
export function sendAway(socket: Duplex): void {
  socket.on('error', ignore);
  socket.end(FAREWELL);
  socket.resume();
}

const NOT_HTTP2 =
  'This is a CRI endpoint: it speaks gRPC over HTTP/2 without TLS. Try `crictl -r <endpoint> version`.\n';

const REFUSAL = [
  'HTTP/1.1 505 HTTP Version Not Supported',
  'Content-Type: text/plain',
  `Content-Length: ${Buffer.byteLength(NOT_HTTP2)}`,
  'Connection: close',
  '',
  NOT_HTTP2,
].join('\r\n');

/** Passes on a connection that begins as HTTP/2; sends others an explanation, and disconnects them. */
export function expectHttp2<S extends Duplex>(socket: S, proceed: (socket: S) => void): void {
  let seen: Buffer = Buffer.alloc(0);
  const look = () => {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) return;
    seen = seen.length === 0 ? chunk : Buffer.concat([seen, chunk]);
    const length = Math.min(seen.length, PREFACE.length);
    if (!seen.subarray(0, length).equals(PREFACE.subarray(0, length))) {
      socket.removeListener('readable', look);
      socket.end(REFUSAL);
      socket.resume();
    } else if (length === PREFACE.length) {
      socket.removeListener('readable', look);
      socket.removeListener('error', ignore);
      socket.unshift(seen);
      proceed(socket);
    }
  };
  socket.on('error', ignore);
  socket.on('readable', look);
}

/** A client that disconnects before it has sent anything is not an error. */
const ignore = (): void => {};

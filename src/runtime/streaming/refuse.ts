import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Refusal } from './request.js';

/** Refuses an upgrade request over the bare socket, and ends it. */
export function refuse(socket: Duplex, { status, message, headers = {} }: Refusal): void {
  const text = message && `${message}\n`;
  const lines = Object.entries({
    ...headers,
    'Content-Type': 'text/plain; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    Connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n${text}`);
  // Reads the rest of the client's bytes, so that the reply arrives and the server notices when the client disconnects.
  socket.resume();
}

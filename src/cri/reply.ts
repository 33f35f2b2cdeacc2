import type { Encoded } from './service.js';

/** A service's reply as a message: one that is in its wire form is decoded. Throws when the bytes are no such message. */
export const decoded = <T extends object>(reply: T | Encoded, type: { decode(bytes: Encoded): T }): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;

import type { Encoded } from './service.js';

/** Decodes a reply in wire form. Throws for bytes that aren't such a message. */
export const decoded = <T extends object>(reply: T | Encoded, type: { decode(bytes: Encoded): T }): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;

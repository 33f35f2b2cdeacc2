/** Decodes a reply of the engine if it is in wire form. */
export const decoded = <T>(type: { decode(wire: Uint8Array): T }, reply: T | Buffer): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;

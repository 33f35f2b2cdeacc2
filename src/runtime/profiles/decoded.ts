/** A reply of the engine as a message: some are in wire form. */
export const decoded = <T>(type: { decode(wire: Uint8Array): T }, reply: T | Buffer): T =>
  Buffer.isBuffer(reply) ? type.decode(reply) : reply;

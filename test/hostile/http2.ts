/** How a client begins (RFC 9113, 3.4), and an empty SETTINGS frame. */
export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('000000040000000000', 'hex'),
]);

/** An HTTP/2 frame. `announced` is the length that its head states; default: that of the payload. */
export function frame(
  type: number,
  flags: number,
  stream: number,
  payload: Buffer,
  announced = payload.length,
): Buffer {
  const head = Buffer.alloc(9);
  head.writeUIntBE(announced, 0, 3);
  head[3] = type;
  head[4] = flags;
  head.writeUInt32BE(stream, 5);
  return Buffer.concat([head, payload]);
}

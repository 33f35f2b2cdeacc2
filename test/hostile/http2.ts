/** A client's preface (RFC 9113, 3.4), and an empty SETTINGS frame. */
export const PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from('000000040000000000', 'hex'),
]);

/** An HTTP/2 frame. `announced` is the length in its head; default: the payload's. */
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

/** END_HEADERS: the HEADERS frame has all headers (RFC 9113, 6.2). */
export const END_HEADERS = 4;

/** The headers of a minimal gRPC call (RFC 7541, A and C.2). */
export const callHead = (path: string, more: Readonly<Record<string, string>> = {}): Buffer =>
  Buffer.concat([
    // `:method: POST`, `:scheme: http`, `:authority: x`, and the index of `:path`.
    Buffer.from('838601017804', 'hex'),
    hpackText(path),
    ...Object.entries({ 'content-type': 'application/grpc', ...more }).map(([name, value]) =>
      Buffer.concat([Buffer.of(0), hpackText(name), hpackText(value)]),
    ),
  ]);

/** Fewer than 127 characters. */
const hpackText = (text: string): Buffer => Buffer.concat([Buffer.of(text.length), Buffer.from(text)]);

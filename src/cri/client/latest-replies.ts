interface Decoded<Message> {
  readonly bytes: Buffer;
  readonly message: Message;
}

/** A kubelet takes turns with two lists of one RPC: of all containers each second, of those that run each two seconds. */
const LATEST = 2;

/** Decodes, unless the bytes are those of one of the latest replies: most lists and statuses are. */
export function rememberLatest<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  const latest: Decoded<Message>[] = [];
  return (bytes) => {
    const known = latest.find((each) => each.bytes.equals(bytes));
    if (known !== undefined) return known.message;
    const message = decode(bytes);
    latest.unshift({ bytes, message });
    latest.splice(LATEST);
    return message;
  };
}

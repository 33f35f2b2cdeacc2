interface Decoded<Message> {
  readonly bytes: Buffer;
  readonly message: Message;
}

/** A kubelet alternates between two lists of one RPC: all containers every second, running ones every two seconds. */
const LATEST = 2;

/** Decodes bytes unless they equal those of one of the latest replies: most lists and statuses do. */
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

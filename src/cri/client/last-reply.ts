/** Decodes, unless the bytes are the same as the last time: most lists and statuses are. */
export function rememberLast<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  let bytes: Buffer | undefined;
  let message: Message;
  return (next) => {
    if (bytes === undefined || !bytes.equals(next)) {
      message = decode(next);
      bytes = next;
    }
    return message;
  };
}

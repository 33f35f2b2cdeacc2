import { forgetOldest } from '../../base/input/forget-oldest.js';

interface Decoded<Message> {
  readonly bytes: Buffer;
  readonly message: Message;
}

/** A kubelet alternates between two lists of one RPC: all containers every second, running ones every two seconds. */
const LATEST = 2;
/** Bytes of the status of an object, or of a list of a few. It begins with an id, of 64 characters. */
const STATUS = { least: 128, most: 4096, id: 72 };
const MOST_OBJECTS = 2000;

/**
 * Decodes bytes unless they equal those of one of the latest replies, or of the last status of the same object: most lists
 * and statuses do.
 */
export function rememberLatest<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  const latest: Decoded<Message>[] = [];
  const byObject = new Map<string, Decoded<Message>>();
  return (bytes) => {
    const isStatus = bytes.length >= STATUS.least && bytes.length <= STATUS.most;
    const object = isStatus ? `${bytes.length} ${bytes.toString('latin1', 0, STATUS.id)}` : '';
    const known = isStatus ? byObject.get(object) : latest.find((each) => each.bytes.equals(bytes));
    if (known?.bytes.equals(bytes)) return known.message;
    const message = decode(bytes);
    if (isStatus) {
      byObject.set(object, { bytes, message });
      forgetOldest(byObject, MOST_OBJECTS);
    } else {
      latest.unshift({ bytes, message });
      latest.splice(LATEST);
    }
    return message;
  };
}

import { forgetOldest } from '../../base/input/forget-oldest.js';

interface Decoded<Bytes, Message> {
  readonly bytes: Bytes;
  readonly message: Message;
}

/** A kubelet alternates between two lists of one RPC: all containers every second, running ones every two seconds. */
const LATEST = 2;
/** Bytes of the status of an object, or of a list of a few. It begins with an id, of 64 characters. */
const STATUS = { least: 128, most: 4096, id: 72 };
const MOST_OBJECTS = 2000;
/** A kubelet reads its objects in turns. Those that were not read while the others were read four times are gone. */
const TURNS = 4;
const LEAST_READS = 64;

/**
 * Decodes bytes unless they equal those of one of the latest replies, or of the last status of the same object: most lists
 * and statuses do.
 */
export function rememberLatest<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  const latest: Decoded<Buffer, Message>[] = [];
  const readStatus = rememberObjects(decode);
  return (bytes) => {
    if (bytes.length >= STATUS.least && bytes.length <= STATUS.most) return readStatus(bytes);
    const known = latest.find((each) => each.bytes.equals(bytes));
    if (known !== undefined) return known.message;
    const message = decode(bytes);
    latest.unshift({ bytes, message });
    latest.splice(LATEST);
    return message;
  };
}

function rememberObjects<Message>(decode: (bytes: Buffer) => Message): (bytes: Buffer) => Message {
  let objects = new Map<string, Decoded<string, Message>>();
  let earlier: typeof objects = new Map();
  let reads = 0;
  return (given) => {
    // A string, because a buffer keeps the memory of others that were received with it.
    const bytes = given.toString('latin1');
    const object = `${bytes.length} ${bytes.slice(0, STATUS.id)}`;
    const current = objects.get(object);
    const known = current ?? earlier.get(object);
    const decoded = known?.bytes === bytes ? known : { bytes, message: decode(given) };
    if (decoded !== current) {
      objects.set(object, decoded);
      forgetOldest(objects, MOST_OBJECTS);
    }
    if (++reads > TURNS * objects.size + LEAST_READS) [objects, earlier, reads] = [new Map(), objects, 0];
    return decoded.message;
  };
}

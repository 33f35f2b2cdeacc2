import { BinaryReader } from '@bufbuild/protobuf/wire';

/** Fields of one message with its nested messages: small messages become large objects. */
const MOST_FIELDS = 100_000;
/** A field has a tag and a value, or a length, of a byte each at least. */
const NUMBERS_OF_FIELD = 2;

export class TooManyFields extends Error {
  override readonly name = 'TooManyFields';

  constructor() {
    super(`more than ${MOST_FIELDS} fields, with those of the messages inside of it`);
  }
}

/** Everything that reads a number: tags, lengths and values, also those of packed fields. */
const READERS = [
  'uint32',
  'varint64',
  'fixed32',
  'sfixed32',
  'fixed64',
  'sfixed64',
  'float',
  'double',
] as const;

class BoundedReader extends BinaryReader {
  constructor(...given: ConstructorParameters<typeof BinaryReader>) {
    super(...given);
    let left = MOST_FIELDS * NUMBERS_OF_FIELD;
    for (const name of READERS) {
      const read = this[name] as () => unknown;
      const counted = () => {
        if (--left < 0) throw new TooManyFields();
        return read.call(this);
      };
      Object.assign(this, { [name]: counted });
    }
  }
}

/** Returns a reader that throws TooManyFields. It doesn't count the fields of a message that is too short for that. */
export const boundedReader: (...given: ConstructorParameters<typeof BinaryReader>) => BinaryReader = (
  bytes,
  decodeUtf8,
) =>
  bytes.length <= MOST_FIELDS * NUMBERS_OF_FIELD
    ? new BinaryReader(bytes, decodeUtf8)
    : new BoundedReader(bytes, decodeUtf8);

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

class BoundedReader extends BinaryReader {
  constructor(...given: ConstructorParameters<typeof BinaryReader>) {
    super(...given);
    const read = this.uint32;
    let left = MOST_FIELDS * NUMBERS_OF_FIELD;
    this.uint32 = () => {
      if (--left < 0) throw new TooManyFields();
      return read.call(this);
    };
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

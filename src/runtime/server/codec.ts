import { messageOf } from '../../base/input/error-text.js';
import { boundedReader, TooManyFields } from '../../cri/bounded-reader.js';
import { CriError, invalid } from '../../cri/errors.js';
import type { MessageType } from '../../cri/messages.js';
import type { Encoded } from '../../cri/service.js';

export interface ServedMethod {
  /** `StartContainer` */
  readonly name: string;
  readonly requestType: MessageType;
  readonly responseSerialize: (reply: never) => Buffer;
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const decodeUtf8 = (bytes: Uint8Array): string => utf8.decode(bytes);

/**
 * Decodes a request. A body that isn't a message of the type, and a string that isn't UTF-8 (protobuf's language guide,
 * "string"; Go refuses it too), are the client's error and result in INVALID_ARGUMENT. A body with too many fields is
 * refused as RESOURCE_EXHAUSTED while it is read.
 */
export function decodeRequest(method: ServedMethod, bytes: Buffer): object {
  try {
    return method.requestType.decode(boundedReader(bytes, decodeUtf8));
  } catch (error) {
    if (error instanceof TooManyFields)
      throw new CriError('exhausted', `the ${method.name}Request has ${error.message}`);
    throw invalid(
      `the body is not a valid ${method.name}Request of ${bytes.length} bytes: ${messageOf(error)}`,
    );
  }
}

export function encodeReply(method: ServedMethod, reply: object): Encoded {
  return Buffer.isBuffer(reply) ? reply : method.responseSerialize(reply as never);
}

import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { Json } from '../../../kubelet/api-server/json.js';

/** An object of the API, and of an event its type: `ADDED`, `MODIFIED`, `DELETED`, `BOOKMARK`. */
export interface ApiObject {
  readonly type: string;
  readonly namespace: string;
  readonly name: string;
  readonly revision: number;
  /** Whether it is marked for deletion. */
  readonly isEnding: boolean;
}

/** Others, such as CBOR, are not read. */
export const isReadable = (contentType = ''): boolean => /json|protobuf/.test(contentType);

/** Undefined if the event is about no object. */
export function readEvent(frame: Buffer, contentType: string): ApiObject | undefined {
  if (contentType.includes('json')) {
    const { type, object } = JSON.parse(frame.toString());
    return ofMetadata(type, object?.metadata);
  }
  const event = frame.subarray(LENGTH);
  return ofProtobuf(Buffer.from(inside(event, 1)).toString(), inside(event, 2, 1));
}

export const readObject = (body: Buffer, contentType: string): ApiObject | undefined =>
  contentType.includes('json') ? ofMetadata('', JSON.parse(body.toString()).metadata) : ofProtobuf('', body);

const ofMetadata = (type: string, metadata: Json = {}): ApiObject | undefined => {
  const { namespace = '', name = '', resourceVersion, deletionTimestamp } = metadata;
  const revision = Number(resourceVersion);
  if (!revision) return undefined;
  return { type, namespace, name, revision, isEnding: deletionTimestamp !== undefined };
};

/** Bytes before an event that say how many it has. */
const LENGTH = 4;
/** Begins an object in protobuf (apimachinery/pkg/runtime/serializer/protobuf). */
const MAGIC = Buffer.from('k8s\0');

/** `runtime.Unknown` has the object in field 2, and the object its metadata in field 1. */
function ofProtobuf(type: string, object: Uint8Array): ApiObject | undefined {
  const fields = fieldsOf(inside(object.subarray(MAGIC.length), 2, 1));
  const text = (number: number) => Buffer.from(fields.get(number) ?? '').toString();
  const deletionTimestamp = fields.get(9);
  return ofMetadata(type, { namespace: text(3), name: text(1), resourceVersion: text(6), deletionTimestamp });
}

/** The message in these fields of messages in each other. */
const inside = (message: Uint8Array, ...numbers: readonly number[]): Uint8Array =>
  numbers.reduce((outer, number) => fieldsOf(outer).get(number) ?? Buffer.alloc(0), message);

/** The last text or message of each field. */
function fieldsOf(message: Uint8Array): ReadonlyMap<number, Uint8Array> {
  const fields = new Map<number, Uint8Array>();
  for (const reader = new BinaryReader(message); reader.pos < reader.len; ) {
    const [number, type] = reader.tag();
    if (type === WireType.LengthDelimited) fields.set(number, reader.bytes());
    else reader.skip(type, number);
  }
  return fields;
}

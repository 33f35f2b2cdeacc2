import { BinaryReader, BinaryWriter } from '@bufbuild/protobuf/wire';

/** Begins a stream (ttrpc request.proto). */
export interface Request {
  /** `nri.pkg.api.v1alpha1.Plugin` */
  readonly service: string;
  readonly method: string;
  readonly payload: Buffer;
  /** Nanoseconds until the client gives up; 0 without a limit. */
  readonly timeout: bigint;
  readonly metadata: readonly (readonly [string, string])[];
}

/** The result of a call, with a gRPC code (google.rpc.Status). */
export interface Status {
  readonly code: number;
  readonly message: string;
}

/** Ends a stream. Without a status, the call has succeeded. */
export interface Response {
  readonly status: Status | undefined;
  readonly payload: Buffer;
}

export function encodeRequest({ service, method, payload, timeout, metadata }: Request): Buffer {
  const writer = new BinaryWriter();
  if (service !== '') writer.uint32(tag(1, LENGTH)).string(service);
  if (method !== '') writer.uint32(tag(2, LENGTH)).string(method);
  if (payload.length > 0) writer.uint32(tag(3, LENGTH)).bytes(payload);
  if (timeout !== 0n) writer.uint32(tag(4, VARINT)).int64(timeout);
  for (const [key, value] of metadata)
    writer
      .uint32(tag(5, LENGTH))
      .fork()
      .uint32(tag(1, LENGTH))
      .string(key)
      .uint32(tag(2, LENGTH))
      .string(value)
      .join();
  return asBuffer(writer.finish());
}

/** Throws for bytes that are not a message. */
export function decodeRequest(bytes: Buffer): Request {
  const request = {
    service: '',
    method: '',
    payload: EMPTY,
    timeout: 0n,
    metadata: [] as [string, string][],
  };
  readFields(bytes, {
    [tag(1, LENGTH)]: (reader) => {
      request.service = reader.string();
    },
    [tag(2, LENGTH)]: (reader) => {
      request.method = reader.string();
    },
    [tag(3, LENGTH)]: (reader) => {
      request.payload = asBuffer(reader.bytes());
    },
    [tag(4, VARINT)]: (reader) => {
      request.timeout = BigInt(reader.int64());
    },
    [tag(5, LENGTH)]: (reader) => {
      request.metadata.push(decodePair(reader.bytes()));
    },
  });
  return request;
}

export function encodeResponse({ status, payload }: Response): Buffer {
  const writer = new BinaryWriter();
  if (status !== undefined) {
    writer.uint32(tag(1, LENGTH)).fork();
    if (status.code !== 0) writer.uint32(tag(1, VARINT)).int32(status.code);
    if (status.message !== '') writer.uint32(tag(2, LENGTH)).string(status.message);
    writer.join();
  }
  if (payload.length > 0) writer.uint32(tag(2, LENGTH)).bytes(payload);
  return asBuffer(writer.finish());
}

/** Throws for bytes that are not a message. */
export function decodeResponse(bytes: Buffer): Response {
  let status: Status | undefined;
  let payload: Buffer = EMPTY;
  readFields(bytes, {
    [tag(1, LENGTH)]: (reader) => {
      status = decodeStatus(reader.bytes());
    },
    [tag(2, LENGTH)]: (reader) => {
      payload = asBuffer(reader.bytes());
    },
  });
  return { status, payload };
}

const LENGTH = 2;
const VARINT = 0;
const EMPTY: Buffer = Buffer.alloc(0);

const tag = (field: number, wire: number): number => (field << 3) | wire;

const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);

function decodeStatus(bytes: Uint8Array): Status {
  const status = { code: 0, message: '' };
  readFields(bytes, {
    [tag(1, VARINT)]: (reader) => {
      status.code = reader.int32();
    },
    [tag(2, LENGTH)]: (reader) => {
      status.message = reader.string();
    },
  });
  return status;
}

function decodePair(bytes: Uint8Array): [string, string] {
  const pair: [string, string] = ['', ''];
  readFields(bytes, {
    [tag(1, LENGTH)]: (reader) => {
      pair[0] = reader.string();
    },
    [tag(2, LENGTH)]: (reader) => {
      pair[1] = reader.string();
    },
  });
  return pair;
}

function readFields(
  bytes: Uint8Array,
  fields: Readonly<Record<number, (reader: BinaryReader) => void>>,
): void {
  const reader = new BinaryReader(bytes);
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    const read = fields[tag(field, wire)];
    if (read !== undefined) read(reader);
    else reader.skip(wire, field);
  }
}

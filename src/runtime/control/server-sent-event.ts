/** One message of an event stream; `data` is sent as JSON. */
export interface ServerSentEvent {
  /** What a client that comes again names in Last-Event-ID. */
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

/** The bytes of an event (HTML standard, server-sent events). */
export function encodeEvent({ id, event, data }: ServerSentEvent): Buffer {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${number}event: ${event}\ndata: ${JSON.stringify(data, jsonable)}\n\n`);
}

/** For JSON.stringify: nanoseconds exceed what JSON's numbers hold everywhere, so that they are strings. */
export const jsonable = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

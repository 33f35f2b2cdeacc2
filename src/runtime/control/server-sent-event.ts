export interface ServerSentEvent {
  readonly id?: number;
  readonly event: string;
  readonly data: unknown;
}

export function encodeEvent({ id, event, data }: ServerSentEvent): Buffer {
  const number = id === undefined ? '' : `id: ${id}\n`;
  return Buffer.from(`${number}event: ${event}\ndata: ${JSON.stringify(data, jsonable)}\n\n`);
}

/** For JSON.stringify: JSON numbers can't hold nanoseconds everywhere, so they become strings. */
export const jsonable = (_: string, value: unknown): unknown =>
  typeof value === 'bigint' ? String(value) : value;

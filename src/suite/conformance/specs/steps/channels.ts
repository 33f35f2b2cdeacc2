import { createHash } from 'node:crypto';
import type { CheckContext } from '../../check-context.js';
import { mustEqual } from '../../expect.js';
import { Refused, type StreamChannel } from '../../streams/session.js';
import { Violation } from '../../violation.js';

/** Number of bytes that need several frames. */
export const LARGE = 1024 * 1024;

/** Bytes of all values, the same each time. */
export const binary = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, (_, at) => (at * 31 + (at >> 8)) % 256));

const hash = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex');

export const until = (t: CheckContext, what: string, fits: () => boolean): Promise<boolean> =>
  t.eventually(
    async () => fits(),
    (isSo) => isSo,
    what,
  );

/** Reports a runtime that refuses to open its own URL. */
export async function opened<T>(what: string, opening: Promise<T>): Promise<T> {
  try {
    return await opening;
  } catch (error) {
    if (error instanceof Refused) throw new Violation(`${what} to be opened`, error.message);
    throw error;
  }
}

/** Expects a channel to receive exactly these bytes. */
export async function mustReceive(
  t: CheckContext,
  channel: StreamChannel,
  expected: Buffer,
  what: string,
): Promise<void> {
  await until(t, `${expected.length} bytes of ${what}`, () => channel.received().length >= expected.length);
  mustEqual(
    [channel.received().length, hash(channel.received())],
    [expected.length, hash(expected)],
    `length and SHA-256 of ${what}`,
  );
}

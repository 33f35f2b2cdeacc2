import { randomBytes } from 'node:crypto';

const BYTES = 32;
/** A request for random bytes costs more than the bytes. */
let unused = Buffer.alloc(0);

/** 64 lowercase hex digits. */
export function randomId(): string {
  if (unused.length === 0) unused = randomBytes(128 * BYTES);
  const id = unused.toString('hex', 0, BYTES);
  unused = unused.subarray(BYTES);
  return id;
}

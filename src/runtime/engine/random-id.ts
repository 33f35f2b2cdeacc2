import { randomBytes } from 'node:crypto';

/** An id that no other sandbox or container has: 64 lowercase hex digits. */
export const randomId = (): string => randomBytes(32).toString('hex');

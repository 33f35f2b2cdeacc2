import { randomBytes } from 'node:crypto';

/** 64 lowercase hex digits. */
export const randomId = (): string => randomBytes(32).toString('hex');

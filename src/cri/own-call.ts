import type { Call } from './service.js';

/**
 * A call that Mockri itself makes: without a deadline, never cancelled. Each has its own signal, so that leftover
 * listeners go with it.
 */
export const ownCall = (): Call => ({ signal: new AbortController().signal, deadline: undefined });

import type { Call } from './service.js';

/** Mockri's own call: no deadline, never cancelled. Each has its own signal, so leftover listeners go with it. */
export const ownCall = (): Call => ({ signal: new AbortController().signal, deadline: undefined });

import type { Call } from './service.js';

/**
 * A call that Mockri itself makes to a service: it has no deadline and is never cancelled. Each has
 * its own signal, so that listeners left on it go with it.
 */
export const ownCall = (): Call => ({ signal: new AbortController().signal, deadline: undefined });

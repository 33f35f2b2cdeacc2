/** Bytes of one message; either end refuses a longer one (ttrpc channel.go, messageLengthMax). */
export const LARGEST_MESSAGE = 4 << 20;

export const tooLong = (length: number): string =>
  `message length ${length} exceed maximum message size of ${LARGEST_MESSAGE}`;

/** Maximum characters of an error: logs, tapes and headers to the runtime's clients contain it. */
export const LONGEST_STATUS = 4096;

/** Bytes that may wait for a peer that doesn't read; more close the connection. */
export const LARGEST_BACKLOG = 32 << 20;

/** Concurrent calls of one peer; more are refused. */
export const MOST_CALLS = 256;

/** Bytes of concurrent requests, of all peers that share a budget: decoded, they are a multiple of it. */
export const LARGEST_UNDER_WAY = 2 * LARGEST_MESSAGE;

/** Protocol violations of one peer before its connection is closed. */
export const MOST_MISTAKES = 100;

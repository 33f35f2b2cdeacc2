/** Bytes that one message may have; a longer one is refused by either end (ttrpc channel.go, messageLengthMax). */
export const LARGEST_MESSAGE = 4 << 20;

/** The text with which either end refuses a message of so many bytes. */
export const tooLong = (length: number): string =>
  `message length ${length} exceed maximum message size of ${LARGEST_MESSAGE}`;

/** Characters of an error's text that are kept; it goes into logs, onto tapes and, in a header, to clients of the runtime. */
export const LONGEST_STATUS = 4096;

/** Bytes that may wait for a peer that doesn't read; with more, the connection is closed. */
export const LARGEST_BACKLOG = 32 << 20;

/** Calls of one peer that are under way at once; more are refused. */
export const MOST_CALLS = 256;

/** Bytes of the requests that are under way at once, of all peers that share a budget: decoded, they are a multiple of it. */
export const LARGEST_UNDER_WAY = 2 * LARGEST_MESSAGE;

/** Messages of one stream that wait to be read; a peer that sends more breaks the stream. */
export const MOST_WAITING = 64;

/** Messages against the protocol that one peer may send; then its connection is closed. */
export const MOST_MISTAKES = 100;

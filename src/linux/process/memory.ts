const MIB = 1024 * 1024;

/** What one process holds at most, in bytes. */
export const PROCESS_MEMORY = 128 * MIB;
/** What the processes of one container hold at most, in bytes, unless its memory limit is lower. */
export const CONTAINER_MEMORY = 256 * MIB;

/** What a process takes in addition to what its program keeps: its streams, descriptors, promises. */
export const PROCESS_COST = 8 * 1024;
/** What a text or an entry of a list or map takes in addition to its characters. */
const TEXT_COST = 64;

/** What a text takes in memory, in bytes: two for each character, as soon as one of them needs two. */
export const costOfText = (text: string): number => TEXT_COST + 2 * text.length;

/** What texts in a list take, in bytes. */
export const costOfTexts = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + costOfText(text), 0);

/** Texts of fewer characters are copied by V8 whatever they were cut from. */
const SHORTEST_SLICE = 13;

/**
 * The same text in its own memory. V8 keeps a text that was cut from another as a reference to that one, and one
 * that was put together as its pieces: what is kept must be no more than what is paid for.
 */
export const ownText = (text: string): string =>
  text.length < SHORTEST_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le');

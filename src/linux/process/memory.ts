const MIB = 1024 * 1024;

/** Bytes of a process in figures of usage, in addition to those of its program. */
export const RESIDENT = MIB / 2;

/** Maximum bytes of one process. */
export const PROCESS_MEMORY = 128 * MIB;
/** Maximum bytes of all processes of one container, unless its memory limit is lower. */
export const CONTAINER_MEMORY = 256 * MIB;

/** Memory of a process in addition to its program's: its streams, descriptors, promises. */
export const PROCESS_COST = 8 * 1024;
/** Memory of a text or an entry of a list or map, in addition to its characters. */
const TEXT_COST = 64;

/** Bytes of a text in memory: two for each character, as soon as one of them needs two. */
export const costOfText = (text: string): number => TEXT_COST + 2 * text.length;

export const costOfTexts = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + costOfText(text), 0);

/** V8 always copies substrings with fewer characters. */
const SHORTEST_SLICE = 13;

/** Copies a text: V8 keeps substrings as references to the whole text, which stored texts must not hold. */
export const ownText = (text: string): string =>
  text.length < SHORTEST_SLICE ? text : Buffer.from(text, 'utf16le').toString('utf16le');

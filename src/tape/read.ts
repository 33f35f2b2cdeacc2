import { once } from 'node:events';
import { Readable } from 'node:stream';
import { constants, createGunzip } from 'node:zlib';
import { openInput } from '../base/input/open-input.js';
import { unreadable } from '../base/input/text-file.js';
import { InputError } from '../base/input/yaml.js';
import type { Entry, Header } from './entries.js';
import { createLineReader } from './line-reader.js';

/** Maximum bytes of a line: the largest message, 16 MiB, in base64 and in JSON. */
export const LONGEST_LINE = 128 * 1024 * 1024;

export interface TapeFile {
  readonly header: Header;
  /** Entries after the header, in order; can be read once. Throws InputError with the line. */
  readonly entries: AsyncIterable<NumberedEntry>;
  /** Whether the file ends in the middle of a line; valid after the end of `entries`. */
  readonly isCut: boolean;
}

/** An entry with its line number, from 1. */
export interface NumberedEntry {
  readonly line: number;
  readonly entry: Entry;
}

/**
 * Opens a tape, compressed or not, and reads its header. A truncated tape is read to its last complete line. `bytes`
 * are the file's, if already read. Throws InputError for a file that can't be read or is not a tape.
 */
export async function openTape(file: string, bytes?: Buffer): Promise<TapeFile> {
  const lines = linesOf(file, bytes);
  const reader = createLineReader(file);
  const first = await lines.next();
  if (first.done || (!first.value.isWhole && !isJson(first.value.text)))
    throw new InputError([`${file}: this is not a tape: it has no whole line`]);
  const header = reader.read(first.value.text) as Header;
  let isCut = false;
  const entries = async function* (): AsyncGenerator<NumberedEntry> {
    for await (const { text, isWhole } of lines) {
      isCut = !isWhole;
      if (!isWhole && !isJson(text)) return;
      isCut = false;
      const entry = reader.read(text);
      yield { line: reader.line, entry };
    }
  };
  return {
    header,
    entries: entries(),
    get isCut() {
      return isCut;
    },
  };
}

export function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

export interface RawLine {
  readonly text: string;
  /** False for a last line without newline. */
  readonly isWhole: boolean;
}

const NEWLINE = 10;

/** The lines of a file, compressed or not; holds one line in memory. Throws InputError. */
export async function* linesOf(file: string, bytes?: Buffer): AsyncGenerator<RawLine> {
  let rest: Buffer[] = [];
  let length = 0;
  let line = 1;
  const take = (last: Buffer): string => {
    const text = rest.length === 0 ? last.toString() : Buffer.concat([...rest, last]).toString();
    rest = [];
    length = 0;
    return text;
  };
  try {
    for await (const chunk of await bytesOf(bytes === undefined ? openInput(file) : Readable.from([bytes]))) {
      let start = 0;
      for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
        yield { text: take(chunk.subarray(start, end)), isWhole: true };
        line++;
        start = end + 1;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > LONGEST_LINE)
        throw new InputError([`${file}:${line}: the line has more than ${LONGEST_LINE} bytes`]);
    }
  } catch (error) {
    throw readable(file, line, error);
  }
  if (length > 0) yield { text: take(Buffer.alloc(0)), isWhole: false };
}

/** Detects compression by the first bytes, not by the name. Reads a pipe once. */
async function bytesOf(stream: Readable): Promise<AsyncIterable<Buffer>> {
  await once(stream, 'readable');
  const first: Buffer | null = stream.read();
  if (first === null) return stream;
  stream.unshift(first);
  if (first[0] !== 0x1f || first[1] !== 0x8b) return stream;
  // Decompresses the complete part of a truncated file.
  const gunzip = createGunzip({ finishFlush: constants.Z_SYNC_FLUSH, chunkSize: 256 * 1024 });
  stream.once('error', (error) => gunzip.destroy(error));
  gunzip.once('close', () => stream.destroy());
  return stream.pipe(gunzip);
}

function readable(file: string, line: number, error: unknown): unknown {
  if (error instanceof InputError) return error;
  const { code, message } = error as NodeJS.ErrnoException;
  if (code?.startsWith('Z_'))
    return new InputError([`${file}:${line}: the compressed data is damaged: ${message}`]);
  return new InputError([`${file}: ${unreadable(error)}`]);
}

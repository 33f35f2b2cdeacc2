import { isUtf8 } from 'node:buffer';
import { closeSync, fstatSync, readSync } from 'node:fs';
import { openInput, STANDARD_INPUT } from './open-input.js';
import { openRegular } from './regular-file.js';
import { InputError } from './yaml.js';

/** Maximum bytes of a file with settings, rules, scenarios or pods. */
export const LARGEST_FILE = 1024 * 1024;

const CHUNK = 64 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'part of the path is not a directory',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
  EBADF: 'no file is open there',
};

/** Why a file can't be read, as text after its name; `error` is the system's. */
export function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `it can't be read: ${REASONS[code ?? ''] ?? code ?? message}`;
}

/**
 * Reads text without a byte order mark. Throws InputError, which also names `option`, for a file that can't be read,
 * has more than `largest` bytes, or is not UTF-8.
 */
export function readTextFile(file: string, option = '', largest = LARGEST_FILE): string {
  const name = nameOf(file, option);
  try {
    return textOf(readAtMost(file, name, largest), name, largest);
  } catch (error) {
    throw toInputError(error, name);
  }
}

/** Reads a file that a client names. Throws like `readTextFile`. */
export function readSmallFile(file: string, largest = LARGEST_FILE): Buffer {
  try {
    return readAtMost(file, file, largest);
  } catch (error) {
    throw toInputError(error, file);
  }
}

/** Like `readTextFile`; also reads standard input (`-`) and pipes of the shell until their end. See `openInput`. */
export async function readTextInput(file: string, option = '', largest = LARGEST_FILE): Promise<string> {
  return textOf(await readInput(file, option, largest), nameOf(file, option), largest);
}

/** Reads a command's input. Throws InputError like `readTextInput`. */
export async function readInput(file: string, option: string, largest: number): Promise<Buffer> {
  const name = nameOf(file, option);
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of openInput(file) as AsyncIterable<Buffer>) {
      chunks.push(chunk);
      size += chunk.length;
      checkSize(size, name, largest);
    }
    return Buffer.concat(chunks);
  } catch (error) {
    throw toInputError(error, name);
  }
}

/** A file's name in messages. Throws InputError for an empty name. */
function nameOf(file: string, option: string): string {
  const place = option === '' ? '' : `${option}: `;
  if (file === '') throw new InputError([`${place}expected the name of a file; given ""`]);
  return `${place}${file === STANDARD_INPUT ? 'standard input' : file}`;
}

const toInputError = (error: unknown, name: string): InputError =>
  error instanceof InputError ? error : new InputError([`${name}: ${unreadable(error)}`]);

function checkSize(size: number, name: string, largest: number): void {
  if (size > largest)
    throw new InputError([`${name}: it has more than ${largest} bytes, which is the most that is read`]);
}

function textOf(data: Buffer, name: string, largest: number): string {
  checkSize(data.length, name, largest);
  if (isUtf8(data) && !data.includes(0)) return new TextDecoder().decode(data);
  throw new InputError([`${name}: it is not text; expected UTF-8`]);
}

function readAtMost(file: string, name: string, largest: number): Buffer {
  const descriptor = openRegular(file);
  try {
    checkSize(fstatSync(descriptor).size, name, largest);
    const chunks: Buffer[] = [];
    // Files of /proc have no size, and others may grow.
    for (let left = largest + 1; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, CHUNK));
      const size = readSync(descriptor, chunk);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
      left -= size;
    }
    const bytes = Buffer.concat(chunks);
    checkSize(bytes.length, name, largest);
    return bytes;
  } finally {
    closeSync(descriptor);
  }
}

/**
 * Reads a JSON file that a client names. Throws like readTextFile, without quoting contents the client may not read.
 */
export function readJsonFile(file: string, largest = LARGEST_FILE): unknown {
  const text = readTextFile(file, '', largest);
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError([`${file}: it holds no JSON`]);
  }
}

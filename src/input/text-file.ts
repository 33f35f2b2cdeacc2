import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { InputError } from './yaml.js';

/** Bytes that a file of settings, rules, scenarios or pods may have. */
export const LARGEST_FILE = 1024 * 1024;

const CHUNK = 64 * 1024;

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  EISDIR: 'it is a directory; give a file',
  ENXIO: 'it is a device or a pipe; give a regular file',
  ENOTDIR: 'a part of the path is no directory',
  EACCES: 'permission denied',
  ENAMETOOLONG: 'the name is too long',
  ELOOP: 'its links lead in a circle',
};

/** Why a file can't be read, in words that follow its name; `error` is the system's. */
export function unreadable(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return `it can't be read: ${REASONS[code ?? ''] ?? code ?? message}`;
}

/**
 * A file's text, without a byte order mark. Throws InputError, naming `option` too, for a file that can't be read,
 * has more than `largest` bytes, or is no UTF-8 text.
 */
export function readTextFile(file: string, option = '', largest = LARGEST_FILE): string {
  return textOf(file, option, largest, () => readAtMost(file, largest + 1));
}

/** The name by which a command is given its standard input instead of a file. */
export const STANDARD_INPUT = '-';

/** As `readTextFile`; of the file `-` the standard input, until its end. */
export async function readTextInput(file: string, largest: number): Promise<string> {
  if (file !== STANDARD_INPUT) return readTextFile(file, '', largest);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > largest) break;
  }
  return textOf('standard input', '', largest, () => Buffer.concat(chunks));
}

function textOf(file: string, option: string, largest: number, read: () => Buffer): string {
  const refuse = (why: string) => new InputError([`${option === '' ? '' : `${option}: `}${file}: ${why}`]);
  let data: Buffer;
  try {
    data = read();
  } catch (error) {
    throw refuse(unreadable(error));
  }
  if (data.length > largest)
    throw refuse(`it has more than ${largest} bytes, which is the most that is read`);
  if (isUtf8(data) && !data.includes(0)) return new TextDecoder().decode(data);
  throw refuse('it is no text; UTF-8 is expected');
}

/** A pipe may have no writer, and a device no end: they are refused before a byte is read, and opening never waits. */
function readAtMost(file: string, most: number): Buffer {
  const descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(descriptor);
    if (stat.isDirectory()) throw Object.assign(new Error(), { code: 'EISDIR' });
    if (!stat.isFile()) throw Object.assign(new Error(), { code: 'ENXIO' });
    const chunks: Buffer[] = [];
    for (let left = most; left > 0; ) {
      const chunk = Buffer.alloc(Math.min(left, CHUNK));
      const size = readSync(descriptor, chunk);
      if (size === 0) break;
      chunks.push(chunk.subarray(0, size));
      left -= size;
    }
    return Buffer.concat(chunks);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The value in a JSON file of the host that a client names. Throws as readTextFile does; the message never quotes what
 * the file holds, which the client may not be allowed to know.
 */
export function readJsonFile(file: string, largest = LARGEST_FILE): unknown {
  const text = readTextFile(file, '', largest);
  try {
    return JSON.parse(text);
  } catch {
    throw new InputError([`${file}: it holds no JSON`]);
  }
}

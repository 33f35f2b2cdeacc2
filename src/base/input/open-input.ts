import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { openRegular } from './regular-file.js';

export const STANDARD_INPUT = '-';

const ALLOWED = 'a regular file, a pipe of the shell such as <(…), or - for standard input';

/** Bytes per read. */
const CHUNK = 256 * 1024;

/** Descriptors in use: their bytes can be read only once. */
const taken = new Set<number>();

/**
 * Opens a command's input as a stream: a regular file, `-` for standard input, or a pipe of the shell. Throws the
 * system's error, or one that names the file type: other types may have no writer, or no end.
 */
export function openInput(file: string): Readable {
  const descriptor = file === STANDARD_INPUT ? 0 : pipeOf(file);
  if (descriptor === undefined)
    return createReadStream('', { fd: openRegular(file, ALLOWED), highWaterMark: CHUNK });
  if (taken.has(descriptor)) throw new Error('it is given twice; it can be read once only');
  taken.add(descriptor);
  if (descriptor === 0) return process.stdin;
  const pipe = new Socket({ fd: descriptor, readable: true, writable: false });
  return pipe.once('close', () => taken.delete(descriptor));
}

/** Descriptor of a pipe with the shell's name for it. Opening the pipe again might wait for a writer. */
function pipeOf(file: string): number | undefined {
  const number = file === '/dev/stdin' ? 0 : /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(file)?.[1];
  if (number === undefined) return undefined;
  return fstatSync(Number(number)).isFIFO() ? Number(number) : undefined;
}

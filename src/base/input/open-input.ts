import { createReadStream, fstatSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { openRegular } from './regular-file.js';

/** The name by which a command is given its standard input instead of a file. */
export const STANDARD_INPUT = '-';

const ALLOWED = 'a regular file, a pipe of the shell such as <(…), or - for standard input';

/** Bytes of a file that are read at once. */
const CHUNK = 256 * 1024;

/** Descriptors whose bytes somebody reads: they come once only. */
const taken = new Set<number>();

/**
 * What a command was given to read, as it comes: a regular file, `-` for the standard input, or a pipe that the shell opened.
 * Throws the system's error, or one that says what it is: anything else may have no writer, or no end.
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

/** The descriptor of a pipe under the name that the shell gives it. The pipe is not opened again, which might wait for a writer. */
function pipeOf(file: string): number | undefined {
  const number = file === '/dev/stdin' ? 0 : /^\/(?:dev|proc\/self)\/fd\/(\d{1,6})$/.exec(file)?.[1];
  if (number === undefined) return undefined;
  return fstatSync(Number(number)).isFIFO() ? Number(number) : undefined;
}

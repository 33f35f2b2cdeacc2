import { constants } from 'node:fs';
import { type FileHandle, lstat, readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { HostPlaces } from '../../../src/base/host/host-places.js';
import type { LogStream } from './frames.js';

/** The last message in a CRI log, after which a restarted server continues. */
export interface Position {
  readonly time: string;
  readonly stream: LogStream;
  /** Messages of the log with this time and stream: the pieces of one long line share them. */
  readonly repeats: number;
}

/** Largest disorder in ms: two threads stamp the two streams, so an earlier message may follow a later one. */
export const DISORDER = 5000;

const LINE = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z) (stdout|stderr) [PF]/;
const HEAD = 64;
const BLOCK = 64 * 1024;

/**
 * Finds the end of the log at `path`, or of the rotated files next to it if it is empty or missing; undefined if
 * nothing was logged. Truncates a line that a killed server did not finish, but never a file behind a link.
 */
export async function findPosition(path: string, places: HostPlaces): Promise<Position | undefined> {
  for (const file of [path, ...(await rotated(path))]) {
    const position = await positionIn(file, places);
    if (position !== undefined) return position;
  }
  return undefined;
}

/** Rotated logs, newest first (kubelet: 0.log.20260101-000000). */
async function rotated(path: string): Promise<string[]> {
  const prefix = `${basename(path)}.`;
  const names = await readdir(dirname(path)).catch(() => []);
  const files = names.filter((name) => name.startsWith(prefix)).map((name) => join(dirname(path), name));
  const timed = files.map(async (file) => ({
    file,
    time: (await lstat(file).catch(() => undefined))?.mtimeMs ?? 0,
  }));
  return (await Promise.all(timed)).sort((a, b) => b.time - a.time).map(({ file }) => file);
}

async function positionIn(path: string, places: HostPlaces): Promise<Position | undefined> {
  const file = await places.open(path, constants.O_RDWR).catch(() => undefined);
  if (file === undefined) return undefined;
  try {
    return await lastPosition(file, await cutTornLine(file));
  } finally {
    await file.close();
  }
}

/** Returns the remaining size. */
async function cutTornLine(file: FileHandle): Promise<number> {
  const { size } = await file.stat();
  const end = (await lastNewline(file, size)) + 1;
  if (end < size) await file.truncate(end);
  return end;
}

/** Messages of one stream with the same time are adjacent, except for messages of the other stream between them. */
async function lastPosition(file: FileHandle, size: number): Promise<Position | undefined> {
  let found: Position | undefined;
  for (let end = size; end > 0; ) {
    const start = (await lastNewline(file, end - 1)) + 1;
    const head = await readAt(file, start, Math.min(HEAD, end - start));
    const [, time = '', stream = ''] = LINE.exec(head.toString('latin1')) ?? [];
    if (time === '') break;
    found ??= { time, stream: stream as LogStream, repeats: 0 };
    if (stream === found.stream) {
      if (time !== found.time) break;
      found = { ...found, repeats: found.repeats + 1 };
    } else if (Date.parse(time) < Date.parse(found.time) - DISORDER) break;
    end = start;
  }
  return found;
}

async function lastNewline(file: FileHandle, end: number): Promise<number> {
  for (let to = end; to > 0; to -= BLOCK) {
    const from = Math.max(0, to - BLOCK);
    const index = (await readAt(file, from, to - from)).lastIndexOf(0x0a);
    if (index >= 0) return from + index;
  }
  return -1;
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.alloc(length);
  const { bytesRead } = await file.read(buffer, 0, length, position);
  return buffer.subarray(0, bytesRead);
}

import { watch } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';
import { startOfTail } from './log-tail.js';

/** A log to read, and what to know while its end is awaited. */
export interface LogFileOptions {
  readonly clock: Clock;
  /** Where it is: to see that something changed. */
  readonly path: string;
  /** Opens what is there now. */
  readonly open: () => Promise<FileHandle>;
  /** Lines from the end to begin with; undefined for all. */
  readonly tailLines: number | undefined;
  /** Continues at the end of the file, until `isRunning` is false there. */
  readonly follow: boolean;
  /** Whether more may be written. Rejects when that can't be found out, which ends the reading. */
  readonly isRunning: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;
/** In ms: how long to wait for news from the file system before looking again (logs.go logForceCheckPeriod). */
const CHECK_PERIOD = 1000;

/**
 * The lines of a log with their newlines, a block at a time (cri-client logs.go ReadLogs). A file that was rotated
 * meanwhile is left at its end for the new one. Rejects when there is no file.
 */
export async function* readLogFile(options: LogFileOptions): AsyncGenerator<readonly Buffer[]> {
  const { open, tailLines, follow, isRunning, signal } = options;
  let file = await open();
  try {
    let position = tailLines === undefined ? 0 : await startOfTail(file, tailLines);
    let rest: Buffer = Buffer.alloc(0);
    let running = follow;
    let next: FileHandle | undefined;
    while (!signal.aborted) {
      const block = Buffer.allocUnsafe(BLOCK);
      const { bytesRead } = await file.read(block, 0, BLOCK, position);
      position += bytesRead;
      if (bytesRead > 0) {
        const bytes = Buffer.concat([rest, block.subarray(0, bytesRead)]);
        const end = bytes.lastIndexOf(NEWLINE) + 1;
        rest = bytes.subarray(end);
        if (end > 0) yield linesOf(bytes.subarray(0, end));
      } else if (next !== undefined) {
        await file.close();
        [file, next, position, rest] = [next, undefined, 0, Buffer.alloc(0)];
      } else if (running) {
        running = await isRunning();
        if (running) await change(options, position);
        // The old file is read to its end once more before it is left.
        next = await successor(file, open);
      } else {
        if (rest.length > 0) yield [rest];
        return;
      }
    }
  } finally {
    await file.close();
  }
}

function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let begin = 0; begin < bytes.length; ) {
    const end = bytes.indexOf(NEWLINE, begin) + 1;
    lines.push(bytes.subarray(begin, end));
    begin = end;
  }
  return lines;
}

/** The file that has taken the place of one; undefined while it is still the same, or there is none. */
async function successor(file: FileHandle, open: LogFileOptions['open']): Promise<FileHandle | undefined> {
  const present = await open().catch(() => undefined);
  if (present === undefined) return undefined;
  const [old, now] = await Promise.all([file.stat(), present.stat()]);
  if (now.ino !== old.ino) return present;
  await present.close();
  return undefined;
}

/** Resolves when the file may have changed: its directory did, some time went by, or the reader has gone. */
function change({ clock, path, signal }: LogFileOptions, position: number): Promise<void> {
  return new Promise((resolve) => {
    const watcher = watch(dirname(path), (_, name) => {
      if (name === null || name === basename(path)) done();
    });
    const timer = clock.setTimer(CHECK_PERIOD, () => done());
    const done = () => {
      watcher.close();
      timer.cancel();
      signal.removeEventListener('abort', done);
      resolve();
    };
    watcher.on('error', done);
    signal.addEventListener('abort', done);
    // What was written before the watch began.
    stat(path).then(({ size }) => size !== position && done(), done);
  });
}

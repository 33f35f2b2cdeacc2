import { watch } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { basename, dirname } from 'node:path';
import type { Clock } from '../../base/clock/clock.js';

export interface LogFileOptions {
  readonly clock: Clock;
  readonly path: string;
  readonly open: () => Promise<FileHandle>;
  /** Number of lines from the end; undefined for all. */
  readonly tailLines: number | undefined;
  /** Continues at the end of the file while `isRunning` returns true. */
  readonly follow: boolean;
  /** Whether more may be written. Rejecting ends the reading. */
  readonly isRunning: () => Promise<boolean>;
  readonly signal: AbortSignal;
}

const BLOCK = 64 * 1024;
const NEWLINE = 0x0a;
/** In ms: how long to wait for file system events before checking again (logs.go logForceCheckPeriod). */
const CHECK_PERIOD = 1000;

/**
 * The lines of a log with newlines, a block at a time (cri-client logs.go ReadLogs). Switches to the new file at the
 * end of a rotated one. Rejects without a file.
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
        // Reads the old file to its end once more before leaving it.
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

/**
 * Start of the last `lines` lines; 0 if there are fewer. Ignores an incomplete line (tail.go findTailLineStartIndex).
 */
async function startOfTail(file: FileHandle, lines: number): Promise<number> {
  const block = Buffer.alloc(BLOCK);
  let left = lines;
  for (let { size: end } = await file.stat(); end > 0; end -= BLOCK) {
    const begin = Math.max(0, end - BLOCK);
    const { bytesRead } = await file.read(block, 0, end - begin, begin);
    let at = block.subarray(0, bytesRead).lastIndexOf(NEWLINE);
    while (at >= 0) {
      if (left-- === 0) return begin + at + 1;
      at = at === 0 ? -1 : block.lastIndexOf(NEWLINE, at - 1);
    }
  }
  return 0;
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

/** The file that replaced this one; undefined while it is the same, or without one. */
async function successor(file: FileHandle, open: LogFileOptions['open']): Promise<FileHandle | undefined> {
  const present = await open().catch(() => undefined);
  if (present === undefined) return undefined;
  const [old, now] = await Promise.all([file.stat(), present.stat()]);
  if (now.ino !== old.ino) return present;
  await present.close();
  return undefined;
}

/** Resolves when the file may have changed: its directory did, some time passed, or the reader disconnected. */
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
    // The file may have grown before the watch began.
    stat(path).then(({ size }) => size !== position && done(), done);
  });
}

import { type FileHandle, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../src/clock/clock.js';
import type { ByteSink } from '../process/process.js';
import { LineSplitter, type LogStream } from './line-splitter.js';

/** A container's log in the CRI's format. Only a log that was written to holds a file open. */
export interface CriLog {
  sink(stream: LogStream): ByteSink;
  /** Opens the path anew: what is written from now on goes to a new file after a rename. */
  reopen(): Promise<void>;
  /** Writes what is left of unfinished lines and closes the file. */
  close(): Promise<void>;
}

export interface CriLogOptions {
  readonly path: string;
  readonly clock: Clock;
  /** A log that can't be written must not stop its container; told once. */
  readonly onError: (error: unknown) => void;
}

/** Makes the log file and its directory (0640 and 0755, as containerd does when a container starts). */
export async function openCriLog(options: CriLogOptions): Promise<CriLog> {
  const log = new LogFile(options);
  await log.touch();
  return log;
}

class LogFile implements CriLog {
  readonly #options: CriLogOptions;
  readonly #lines: Record<LogStream, LineSplitter> = {
    stdout: new LineSplitter('stdout'),
    stderr: new LineSplitter('stderr'),
  };
  #file: FileHandle | undefined;
  #waiting: Buffer[] = [];
  #work: Promise<void> = Promise.resolve();
  #failed = false;

  constructor(options: CriLogOptions) {
    this.#options = options;
  }

  touch(): Promise<void> {
    return this.#enqueue(async () => {
      await mkdir(dirname(this.#options.path), { recursive: true, mode: 0o755 });
      const file = await this.#open();
      await file.close();
    });
  }

  sink(stream: LogStream): ByteSink {
    return {
      write: (chunk) => this.#append(this.#lines[stream].push(chunk, this.#options.clock.now())),
      end: () => {},
    };
  }

  reopen(): Promise<void> {
    const step = this.#work.then(async () => {
      await this.#file?.close();
      this.#file = undefined;
      this.#file = await this.#open();
    });
    this.#work = step.catch(() => {});
    return step;
  }

  async close(): Promise<void> {
    const now = this.#options.clock.now();
    await this.#append(Buffer.concat([this.#lines.stdout.end(now), this.#lines.stderr.end(now)]));
    await this.#enqueue(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  /** Lines that come while others are being written go together with the next write. */
  #append(lines: Buffer): Promise<void> {
    if (lines.length === 0 || this.#failed) return Promise.resolve();
    this.#waiting.push(lines);
    return this.#enqueue(async () => {
      if (this.#waiting.length === 0) return;
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#file ??= await this.#open();
      await this.#file.appendFile(batch);
    });
  }

  #open(): Promise<FileHandle> {
    return open(this.#options.path, 'a', 0o640);
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(step).catch((error: unknown) => {
      if (!this.#failed) this.#options.onError(error);
      this.#failed = true;
    });
    return this.#work;
  }
}

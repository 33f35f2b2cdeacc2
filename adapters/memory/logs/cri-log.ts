import type { Clock } from '../../../src/base/clock/clock.js';
import { CriError } from '../../../src/cri/errors.js';
import type { LogFile } from '../../../src/linux/fs/log-file.js';
import type { NodeDisk } from '../../../src/linux/fs/node-disk.js';
import { LineSplitter, type LogStream } from './line-splitter.js';

export interface CriLogOptions {
  readonly path: string;
  readonly disk: NodeDisk;
  readonly clock: Clock;
  /** Called once: a log that can't be written must not stop its container. */
  readonly onError: (error: unknown) => void;
}

/** A container's log in the CRI's format. Only a log with output holds a file open. */
export class CriLog {
  readonly #path: string;
  readonly #disk: NodeDisk;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #lines: Record<LogStream, LineSplitter> | undefined;
  #file: LogFile | undefined;
  #waiting: Buffer[] | undefined;
  #work: Promise<void> | undefined;
  #failed = false;
  /** Bytes beyond the disk's pace, at a time of the clock. */
  #backlog = 0;
  #countedAt = 0;

  constructor({ path, disk, clock, onError }: CriLogOptions) {
    this.#path = path;
    this.#disk = disk;
    this.#clock = clock;
    this.#onError = onError;
  }

  make(): Promise<void> {
    return this.#enqueue(() => this.#disk.makeLog(this.#path));
  }

  /** Resolves once it is in the file and the disk accepts more. */
  async write(stream: LogStream, chunk: Buffer, signal?: AbortSignal): Promise<void> {
    if (this.#failed) return;
    this.#lines ??= { stdout: new LineSplitter('stdout'), stderr: new LineSplitter('stderr') };
    const lines = this.#lines[stream].push(chunk, this.#clock.now());
    await this.#append(lines);
    await this.#keepPace(lines.length, signal);
  }

  async #keepPace(bytes: number, signal: AbortSignal | undefined): Promise<void> {
    const pace = this.#disk.logPace;
    if (pace === undefined) return;
    const now = this.#clock.elapsed();
    const written = ((now - this.#countedAt) / 1000) * pace.aSecond;
    this.#countedAt = now;
    this.#backlog = Math.max(0, this.#backlog - written) + bytes;
    const excess = this.#backlog - pace.atOnce;
    if (excess > 0) await this.#clock.sleep((excess / pace.aSecond) * 1000, signal);
  }

  /** Reopens the path: after a rename, further output goes to a new file. */
  reopen(): Promise<void> {
    const step = (this.#work ?? Promise.resolve()).then(async () => {
      await this.#file?.close();
      this.#file = undefined;
      this.#file = await this.#disk.openLog(this.#path).catch((error: NodeJS.ErrnoException) => {
        throw new CriError(
          'wrong-state',
          `the log ${this.#path} can't be opened: ${error.code ?? error.message}`,
          {
            cause: error,
          },
        );
      });
    });
    this.#follow(step.catch(() => {}));
    return step;
  }

  async close(): Promise<void> {
    const now = this.#clock.now();
    const lines = this.#lines;
    if (lines !== undefined)
      await this.#append(Buffer.concat([lines.stdout.end(now), lines.stderr.end(now)]));
    await this.#enqueue(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  /** Lines that arrive during a write are part of the next one. */
  #append(lines: Buffer): Promise<void> {
    if (lines.length === 0 || this.#failed) return Promise.resolve();
    this.#waiting ??= [];
    this.#waiting.push(lines);
    return this.#enqueue(async () => {
      if (this.#waiting === undefined) return;
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = undefined;
      this.#file ??= await this.#disk.openLog(this.#path);
      await this.#file.appendFile(batch);
    });
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const done = (this.#work ?? Promise.resolve()).then(step).catch((error: unknown) => {
      if (!this.#failed) this.#onError(error);
      this.#failed = true;
    });
    return this.#follow(done);
  }

  #follow(work: Promise<void>): Promise<void> {
    this.#work = work;
    void work.then(() => {
      if (this.#work === work) this.#work = undefined;
    });
    return work;
  }
}

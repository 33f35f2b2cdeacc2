import { constants } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../../../src/clock/clock.js';
import { CriError } from '../../../src/cri/errors.js';
import type { HostPlaces } from '../../../src/host/host-places.js';
import { LineSplitter, type LogStream } from './line-splitter.js';

/** Where a container's log is written, in the CRI's format. */
export interface CriLogOptions {
  readonly path: string;
  /** Know which links are a container's. */
  readonly places: HostPlaces;
  readonly clock: Clock;
  /** A log that can't be written must not stop its container; told once. */
  readonly onError: (error: unknown) => void;
}

/** A container's log in the CRI's format. Only a log that was written to holds a file open. */
export class CriLog {
  readonly #path: string;
  readonly #places: HostPlaces;
  readonly #clock: Clock;
  readonly #onError: (error: unknown) => void;
  #lines: Record<LogStream, LineSplitter> | undefined;
  #file: FileHandle | undefined;
  #waiting: Buffer[] | undefined;
  /** The steps under way, one after the other. */
  #work: Promise<void> | undefined;
  #failed = false;

  constructor({ path, places, clock, onError }: CriLogOptions) {
    this.#path = path;
    this.#places = places;
    this.#clock = clock;
    this.#onError = onError;
  }

  /** Makes the log file and its directory (0640 and 0755, as containerd does when a container starts). */
  make(): Promise<void> {
    return this.#enqueue(async () => {
      await this.#places.make(dirname(this.#path), 0o755);
      const file = await this.#open();
      await file.close();
    });
  }

  /** Resolves once it is in the file. */
  write(stream: LogStream, chunk: Buffer): Promise<void> {
    this.#lines ??= { stdout: new LineSplitter('stdout'), stderr: new LineSplitter('stderr') };
    return this.#append(this.#lines[stream].push(chunk, this.#clock.now()));
  }

  /** Reopens the path: after a rename, further output goes to a new file. */
  reopen(): Promise<void> {
    const step = (this.#work ?? Promise.resolve()).then(async () => {
      await this.#file?.close();
      this.#file = undefined;
      this.#file = await this.#open().catch((error: NodeJS.ErrnoException) => {
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

  /** Writes what is left of unfinished lines and closes the file. */
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

  /** Lines that come while others are being written go together with the next write. */
  #append(lines: Buffer): Promise<void> {
    if (lines.length === 0 || this.#failed) return Promise.resolve();
    this.#waiting ??= [];
    this.#waiting.push(lines);
    return this.#enqueue(async () => {
      if (this.#waiting === undefined) return;
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = undefined;
      this.#file ??= await this.#open();
      await this.#file.appendFile(batch);
    });
  }

  #open(): Promise<FileHandle> {
    const { O_APPEND, O_CREAT, O_WRONLY } = constants;
    return this.#places.open(this.#path, O_WRONLY | O_APPEND | O_CREAT, 0o640);
  }

  #enqueue(step: () => Promise<void>): Promise<void> {
    const done = (this.#work ?? Promise.resolve()).then(step).catch((error: unknown) => {
      if (!this.#failed) this.#onError(error);
      this.#failed = true;
    });
    return this.#follow(done);
  }

  /** Keeps the last step until it is over. */
  #follow(work: Promise<void>): Promise<void> {
    this.#work = work;
    void work.then(() => {
      if (this.#work === work) this.#work = undefined;
    });
    return work;
  }
}

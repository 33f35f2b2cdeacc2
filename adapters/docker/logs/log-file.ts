import { type FileHandle, open } from 'node:fs/promises';

/** More than this is not held in memory: then the writer waits for the disk. */
const MOST_WAITING = 1024 * 1024;

/** A file that is appended to: what comes during a write goes together with the next one. */
export class LogFile {
  readonly #path: string;
  #file: FileHandle | undefined;
  #waiting: Buffer[] = [];
  #size = 0;
  #work: Promise<void> = Promise.resolve();

  constructor(path: string) {
    this.#path = path;
  }

  /** Resolves at once unless too much is waiting. */
  async append(line: Buffer): Promise<void> {
    this.#waiting.push(line);
    this.#size += line.length;
    if (this.#waiting.length === 1) void this.flush().catch(() => {});
    if (this.#size > MOST_WAITING) await this.flush();
  }

  /** Resolves when all that was appended is in the file; rejects when it can't be written. */
  flush(): Promise<void> {
    return this.#next(async () => {
      if (this.#waiting.length === 0) return;
      this.#file ??= await open(this.#path, 'a', 0o640);
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#size = 0;
      await this.#file.appendFile(batch);
    });
  }

  /** What is appended from now on goes to the file that then has the path. */
  reopen(): Promise<void> {
    return this.#next(async () => {
      const file = await open(this.#path, 'a', 0o640);
      await this.#file?.close();
      this.#file = file;
    });
  }

  close(): Promise<void> {
    return this.#next(async () => {
      await this.#file?.close();
      this.#file = undefined;
    });
  }

  #next(step: () => Promise<void>): Promise<void> {
    const work = this.#work.then(step);
    this.#work = work.catch(() => {});
    return work;
  }
}

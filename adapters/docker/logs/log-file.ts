import type { FileHandle } from 'node:fs/promises';

/** Bytes in memory before the writer waits for the disk. */
const MOST_WAITING = 1024 * 1024;

/** Appends to a file. Drops whole lines that can't be written (a full disk), and reports the first failure. */
export class LogFile {
  readonly #open: () => Promise<FileHandle>;
  readonly #failed: (error: unknown) => void;
  #isFailing = false;
  #file: FileHandle | undefined;
  #waiting: Buffer[] = [];
  #size = 0;
  #work: Promise<void> = Promise.resolve();

  /** `open` opens the file at the path for appending, and creates a missing one. */
  constructor(open: () => Promise<FileHandle>, failed: (error: unknown) => void) {
    this.#open = open;
    this.#failed = failed;
  }

  /** Resolves immediately unless too much data waits. */
  async append(line: Buffer): Promise<void> {
    this.#waiting.push(line);
    this.#size += line.length;
    if (this.#waiting.length === 1) void this.flush();
    if (this.#size > MOST_WAITING) await this.flush();
  }

  flush(): Promise<void> {
    return this.#next(async () => {
      if (this.#waiting.length === 0) return;
      const batch = Buffer.concat(this.#waiting);
      this.#waiting = [];
      this.#size = 0;
      try {
        await this.#write(batch);
        this.#isFailing = false;
      } catch (error) {
        if (!this.#isFailing) this.#failed(error);
        this.#isFailing = true;
      }
    });
  }

  async #write(batch: Buffer): Promise<void> {
    this.#file ??= await this.#open();
    const { size } = await this.#file.stat();
    try {
      await this.#file.appendFile(batch);
    } catch (error) {
      // The failed write may have stopped in the middle of a line.
      await this.#file.truncate(size).catch(() => {});
      throw error;
    }
  }

  /** Opens the path again: further data goes to the file that is there now. */
  reopen(): Promise<void> {
    return this.#next(async () => {
      const file = await this.#open();
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

import { emptySource, nullSink } from '../../process/pipe.js';
import type { ByteSink, ByteSource, Process, Terminal } from '../../process/process.js';

/** An open file of one or more descriptors, of one or more processes; closed with the last of them. */
export class OpenFile implements ByteSource, ByteSink {
  readonly #source: ByteSource | undefined;
  readonly #sink: ByteSink | undefined;
  readonly #close: () => void;
  readonly #putBack: Buffer[] = [];
  #references = 0;

  constructor(ends: { source?: ByteSource | undefined; sink?: ByteSink | undefined; close?: () => void }) {
    this.#source = ends.source;
    this.#sink = ends.sink;
    this.#close = ends.close ?? (() => {});
  }

  get isWritable(): boolean {
    return this.#sink !== undefined;
  }

  get terminal(): Terminal | undefined {
    return this.#source?.terminal ?? this.#sink?.terminal;
  }

  async read(signal?: AbortSignal): Promise<Buffer | null> {
    return this.#putBack.shift() ?? (await (this.#source ?? emptySource).read(signal));
  }

  unread(chunk: Buffer): void {
    if (this.#source?.unread) this.#source.unread(chunk);
    else if (chunk.length > 0) this.#putBack.unshift(chunk);
  }

  write(chunk: Buffer, signal?: AbortSignal): Promise<void> {
    return (this.#sink ?? nullSink).write(chunk, signal);
  }

  /** The end of a program's output isn't the end of the file: others may have it open too. */
  end(): void {}

  retain(): this {
    if (this.#references++ === 0) this.#sink?.retain?.();
    return this;
  }

  release(): void {
    if (--this.#references > 0) return;
    this.#close();
    this.#sink?.release?.();
  }
}

/** The descriptors that a shell passed to a process: a shell in that process takes them over. */
export const givenFiles = new WeakMap<Process, FileTable>();

/** The descriptors of one process. It retains their files until it closes them. */
export class FileTable {
  readonly #files = new Map<number, OpenFile>();

  get(fd: number): OpenFile | undefined {
    return this.#files.get(fd);
  }

  set(fd: number, file: OpenFile): void {
    file.retain();
    this.close(fd);
    this.#files.set(fd, file);
  }

  close(fd: number): void {
    this.#files.get(fd)?.release();
    this.#files.delete(fd);
  }

  closeAll(): void {
    for (const fd of [...this.#files.keys()]) this.close(fd);
  }

  clone(): FileTable {
    const copy = new FileTable();
    for (const [fd, file] of this.#files) copy.set(fd, file);
    return copy;
  }

  streams(): { stdin: ByteSource; stdout: ByteSink; stderr: ByteSink } {
    return {
      stdin: this.#files.get(0) ?? emptySource,
      stdout: this.#files.get(1) ?? nullSink,
      stderr: this.#files.get(2) ?? nullSink,
    };
  }
}

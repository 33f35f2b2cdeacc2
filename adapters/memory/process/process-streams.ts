import type { ByteSink, ByteSource, Terminal } from './process.js';

/** The process that a stream belongs to: its reads and writes end with it, and take its time. */
export interface Worker {
  readonly killed: AbortSignal;
  /** Has read or written so many bytes. */
  work(bytes: number): Promise<void>;
}

/** A source, as long as a process lives: a read that waits ends when it is killed. */
export class ProcessSource implements ByteSource {
  readonly #process: Worker;
  readonly #source: ByteSource;

  constructor(process: Worker, source: ByteSource) {
    this.#process = process;
    this.#source = source;
  }

  async read(signal?: AbortSignal): Promise<Buffer | null> {
    const chunk = await this.#source.read(signal ?? this.#process.killed);
    if (signal === undefined) await this.#process.work(chunk?.length ?? 0);
    return chunk;
  }

  get unread(): ByteSource['unread'] {
    const source = this.#source;
    return source.unread && ((chunk) => source.unread?.(chunk));
  }

  get terminal(): Terminal | undefined {
    return this.#source.terminal;
  }
}

/** A sink, as long as a process lives. */
export class ProcessSink implements ByteSink {
  readonly #process: Worker;
  readonly #sink: ByteSink;

  constructor(process: Worker, sink: ByteSink) {
    this.#process = process;
    this.#sink = sink;
  }

  async write(chunk: Buffer, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) await this.#process.work(chunk.length);
    await this.#sink.write(chunk, signal ?? this.#process.killed);
  }

  end(): void {
    this.#sink.end();
  }

  get terminal(): Terminal | undefined {
    return this.#sink.terminal;
  }
}

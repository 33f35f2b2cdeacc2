import type { ByteSink, ByteSource, Terminal } from './process.js';

/** Cost of a read or write in addition to its bytes, in bytes. */
export const CALL_COST = 1024;

/** The process that uses a stream: its reads and writes end with it, and take its time. */
export interface Worker {
  readonly killed: AbortSignal;
  /** Counts bytes that were read or written. */
  work(bytes: number): Promise<void>;
}

abstract class ProcessStream<Stream extends { readonly terminal?: Terminal | undefined }> {
  protected readonly process: Worker;
  protected readonly stream: Stream;

  constructor(process: Worker, stream: Stream) {
    this.process = process;
    this.stream = stream;
  }

  get terminal(): Terminal | undefined {
    return this.stream.terminal;
  }
}

export class ProcessSource extends ProcessStream<ByteSource> implements ByteSource {
  async read(signal?: AbortSignal): Promise<Buffer | null> {
    const chunk = await this.stream.read(signal ?? this.process.killed);
    if (signal === undefined) await this.process.work(CALL_COST + (chunk?.length ?? 0));
    return chunk;
  }

  get unread(): ByteSource['unread'] {
    const { stream } = this;
    return stream.unread && ((chunk) => stream.unread?.(chunk));
  }
}

export class ProcessSink extends ProcessStream<ByteSink> implements ByteSink {
  async write(chunk: Buffer, signal?: AbortSignal): Promise<void> {
    if (signal === undefined) await this.process.work(CALL_COST + chunk.length);
    await this.stream.write(chunk, signal ?? this.process.killed);
  }

  end(): void {
    this.stream.end();
  }

  retain(): void {
    this.stream.retain?.();
  }

  release(): void {
    this.stream.release?.();
  }
}

import { FrameType, numberFrame } from '../../cri/wire/frames.js';
import { CREDIT, headerFrames, type Lane, type Outflow } from './outflow.js';

/** What a call hears from its stream. */
export interface StreamListener {
  data(bytes: Buffer): void;
  /** The client has said everything. */
  requestEnds(): void;
  /** The client has given it up, or is gone; nothing can be sent any more. */
  cut(): void;
}

/** What is sent with `ServerStream.send`: encoded header blocks, and data between them. */
export interface Reply {
  readonly head?: Buffer | undefined;
  readonly data?: readonly Buffer[] | undefined;
  /** The block that ends the stream. */
  readonly tail?: Buffer | undefined;
}

/** RFC 9113, 7. */
export const NO_ERROR = 0;

/** What a stream needs of its connection. */
interface Home {
  write(bytes: Buffer): void;
  over(): void;
}

/** One stream that a client has begun. */
export class ServerStream {
  readonly lane: Lane;
  listener: StreamListener | undefined;
  readonly #outflow: Outflow;
  readonly #home: Home;
  /** Bytes taken that the client has not been told of: what comes is taken at once, so that its window never closes. */
  #owed = 0;
  #hasRequest = false;
  #isOver = false;
  #drained: (() => void)[] = [];

  constructor(id: number, window: number, outflow: Outflow, home: Home) {
    this.#outflow = outflow;
    this.#home = home;
    this.lane = { id, window, queue: [], tail: undefined, onEmpty: (isEnd) => this.#emptied(isEnd) };
  }

  /** False if some of it has to wait for the client; `onDrained` tells when it is gone. */
  send({ head, data = [], tail }: Reply): boolean {
    if (this.#isOver) return true;
    const { id } = this.lane;
    const { frameSize } = this.#outflow;
    return this.#outflow.send(this.lane, {
      head: head && headerFrames(id, head, false, frameSize),
      data,
      tail: tail && headerFrames(id, tail, true, frameSize),
    });
  }

  /** Calls back once all that was sent has been taken, or the stream is over. */
  onDrained(callback: () => void): void {
    if (this.#isOver || this.lane.queue.length === 0) callback();
    else this.#drained.push(callback);
  }

  /** RST_STREAM: the stream alone is broken. */
  reset(http2Code: number): void {
    if (this.#isOver) return;
    this.#home.write(numberFrame(FrameType.rstStream, this.lane.id, http2Code));
    this.#close();
  }

  takes(size: number, bytes: Buffer): void {
    if (this.#hasRequest) throw new Error('data behind the end of a stream');
    this.listener?.data(bytes);
    this.#owed += size;
    if (this.#owed < CREDIT || this.#isOver) return;
    this.#home.write(numberFrame(FrameType.windowUpdate, this.lane.id, this.#owed));
    this.#owed = 0;
  }

  requestEnds(): void {
    if (this.#hasRequest || this.#isOver) return;
    this.#hasRequest = true;
    this.listener?.requestEnds();
  }

  cut(): void {
    if (this.#isOver) return;
    // The call is told first, so that nobody who waited to send more takes it for alive.
    this.listener?.cut();
    this.#close();
  }

  #emptied(isEnd: boolean): void {
    if (isEnd) this.#finish();
    for (const callback of this.#drained.splice(0)) callback();
  }

  /** All is sent. A client that still speaks is told to stop (RFC 9113, 8.1). */
  #finish(): void {
    if (!this.#hasRequest) this.reset(NO_ERROR);
    else this.#close();
  }

  #close(): void {
    this.#isOver = true;
    this.#outflow.drop(this.lane);
    this.#home.over();
    for (const callback of this.#drained.splice(0)) callback();
  }
}

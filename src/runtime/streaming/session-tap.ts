import { Duplex, PassThrough, type Readable, Transform, type Writable } from 'node:stream';
import type { Clock } from '../../base/clock/clock.js';
import { Lane } from '../../base/network/shaped-socket.js';
import type { SessionTreatment, StreamName } from '../fault-decisions.js';

/** The streams that an action is for if the rule names none. */
const USUAL: Readonly<Record<string, readonly StreamName[]>> = {
  reset: ['stdin', 'stdout', 'stderr'],
  stall: ['stdin', 'stdout', 'stderr'],
  shape: ['stdin', 'stdout', 'stderr'],
  end: ['stdout'],
  drop: ['stdout'],
  corrupt: ['stdout'],
};

/** Treats the bytes of one exec or attach, or of one connection of a port-forward. */
export class SessionTap {
  readonly #treatment: SessionTreatment;
  readonly #clock: Clock;
  readonly #breakOff: () => void;
  readonly #streams: readonly StreamName[];
  #passed = 0;

  /** `breakOff` drops the session. */
  constructor(treatment: SessionTreatment, clock: Clock, breakOff: () => void) {
    this.#treatment = treatment;
    this.#clock = clock;
    this.#breakOff = breakOff;
    const { action, stream } = treatment;
    this.#streams = stream ? [stream] : (USUAL[action?.name ?? ''] ?? []);
  }

  /** Throws the error that a rule injects. */
  begin(): void {
    const { action, afterBytes } = this.#treatment;
    if (action?.name === 'error') throw new Error(action.message);
    if (action?.name === 'reset' && afterBytes === 0) this.#breakOff();
  }

  readable(name: StreamName, stream: Readable | undefined): Readable | undefined {
    const tap = stream && this.#tap(name);
    if (!stream || !tap) return stream;
    stream.once('close', () => stream.readableEnded || tap.destroy());
    return stream.pipe(tap);
  }

  writable(name: StreamName, stream: Writable | undefined): Writable | undefined {
    const tap = stream && this.#tap(name, stream);
    if (!stream || !tap) return stream;
    stream.once('close', () => tap.destroy());
    tap.pipe(stream);
    return tap;
  }

  /** The client's bytes are stdin, the bytes to it stdout. */
  duplex(stream: Duplex): Duplex {
    const readable = this.readable('stdin', stream) as Readable;
    const writable = this.writable('stdout', stream) as Writable;
    if (readable === stream && writable === stream) return stream;
    const both = Duplex.from({
      readable: readable === stream ? stream.pipe(new PassThrough()) : readable,
      writable: writable === stream ? throughTo(stream) : writable,
    });
    stream.once('close', () => both.destroy());
    return both.on('error', () => stream.destroy());
  }

  /** Undefined if the error stream ends without a status. */
  async status<T>(outcome: T): Promise<T | undefined> {
    const { action } = this.#treatment;
    if (!this.#streams.includes('error')) return outcome;
    if (action?.name === 'stall') await action.over();
    return action?.name === 'drop' ? undefined : outcome;
  }

  #tap(name: StreamName, target?: Writable): Transform | undefined {
    if (!this.#streams.includes(name)) return undefined;
    const { action, afterBytes, released } = this.#treatment;
    const lane =
      action?.name === 'shape'
        ? new Lane({ ...action, released }, this.#clock, (chunk) => tap.push(chunk))
        : undefined;
    const tap: Transform = new Transform({
      transform: (chunk: Buffer, _encoding, done) => this.#pass({ tap, target, lane }, chunk, done),
      flush: (done) => (lane ? lane.put(undefined, done) : done()),
      destroy: (error, done) => {
        lane?.stop();
        done(error);
      },
    });
    tap.on('error', () => {});
    if (action?.name === 'end' && afterBytes === 0) tap.push(null);
    return tap;
  }

  #pass({ tap, target, lane }: Passage, chunk: Buffer, done: () => void): void {
    const { action, afterBytes, released } = this.#treatment;
    const isOver = released.aborted && action?.name !== 'end';
    const free = isOver ? chunk.length : Math.max(0, afterBytes - this.#passed);
    this.#passed += chunk.length;
    const [first, rest] = [chunk.subarray(0, free), chunk.subarray(free)];
    if (first.length > 0) tap.push(first);
    if (rest.length === 0) done();
    else this.#act({ tap, target, lane }, rest, done);
  }

  #act({ tap, target, lane }: Passage, chunk: Buffer, done: () => void): void {
    const { action } = this.#treatment;
    if (action?.name === 'reset') this.#breakAfter(tap, target);
    else if (lane) lane.put(chunk, done);
    else if (action?.name === 'stall') {
      const pass = () => {
        tap.push(chunk);
        done();
      };
      // Rejects when the client has disconnected.
      void action.over().then(pass, () => {});
    } else {
      if (action?.name === 'end') tap.push(null);
      if (action?.name === 'corrupt') tap.push(Buffer.from(chunk.map((byte) => byte ^ 0xff)));
      done();
    }
  }

  /** Sends the bytes that have already passed first. */
  #breakAfter(tap: Transform, target: Writable | undefined): void {
    if (target) tap.unpipe(target);
    const left = tap.read() as Buffer | null;
    if (target && left) target.write(left, () => this.#breakOff());
    else this.#breakOff();
  }
}

interface Passage {
  readonly tap: Transform;
  readonly target: Writable | undefined;
  readonly lane: Lane | undefined;
}

function throughTo(stream: Writable): Writable {
  const through = new PassThrough();
  through.pipe(stream);
  return through;
}

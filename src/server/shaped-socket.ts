import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock, Timer } from '../clock/clock.js';

/** How bytes pass on a connection; `released` ends it. */
export interface Shape {
  /** Extra milliseconds, each way. */
  readonly latency: number;
  /** Undefined for no limit. Each way has its own. */
  readonly bytesPerSecond: number | undefined;
  readonly released: AbortSignal;
}

/** Bytes that may be under way in one direction before the sender has to wait. */
const WINDOW = 256 * 1024;
/** A limited rate is kept in pieces that take so long, in ms. */
const PIECE = 20;

/** The socket as it is seen through a slow or narrow line. */
export function shapeSocket(socket: Socket, shape: Shape, clock: Clock): Duplex {
  const inward = new Lane(shape, clock, (chunk) => duplex.push(chunk));
  const outward = new Lane(shape, clock, (chunk) => socket.write(chunk));
  const duplex = new Duplex({
    read: () => void socket.resume(),
    write: (chunk: Buffer, _, done) => outward.put(chunk, done),
    final: (done) => outward.put(undefined, () => socket.end(done)),
    destroy: (error, done) => {
      inward.stop();
      outward.stop();
      socket.destroy();
      done(error);
    },
  });
  socket.on('data', (chunk: Buffer) => {
    socket.pause();
    inward.put(chunk, () => void socket.resume());
  });
  socket.on('end', () => inward.put(undefined, () => duplex.push(null)));
  socket.on('close', () => duplex.destroy());
  socket.on('error', (error) => duplex.destroy(error));
  return duplex;
}

interface Parcel {
  /** Undefined for the end. */
  readonly chunk: Buffer | undefined;
  /** When it arrives, on the clock. */
  readonly due: number;
  readonly arrived: () => void;
}

/** One direction: parcels arrive in order, each when its bytes have passed and the latency is over. */
class Lane {
  readonly #shape: Shape;
  readonly #clock: Clock;
  readonly #deliver: (chunk: Buffer) => void;
  readonly #parcels: Parcel[] = [];
  #underWay = 0;
  /** When the last byte that was put in will have passed. */
  #free = 0;
  #timer: Timer | undefined;
  readonly #rush = () => this.#arrive();

  constructor(shape: Shape, clock: Clock, deliver: (chunk: Buffer) => void) {
    this.#shape = shape;
    this.#clock = clock;
    this.#deliver = deliver;
    shape.released.addEventListener('abort', this.#rush);
  }

  /** `taken` is called when more may come: at once while the window has space, else when these bytes have arrived. */
  put(chunk: Buffer | undefined, taken: () => void): void {
    const pieces = chunk === undefined ? [undefined] : this.#cut(chunk);
    for (const [index, piece] of pieces.entries()) {
      const size = piece?.length ?? 0;
      this.#underWay += size;
      const isLast = index === pieces.length - 1;
      const waits = isLast && (chunk === undefined || this.#underWay > WINDOW);
      this.#parcels.push({ chunk: piece, due: this.#passes(size), arrived: waits ? taken : () => {} });
      if (isLast && !waits) taken();
    }
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#parcels.length = 0;
    this.#shape.released.removeEventListener('abort', this.#rush);
  }

  #cut(chunk: Buffer): Buffer[] {
    const { bytesPerSecond } = this.#shape;
    if (bytesPerSecond === undefined) return [chunk];
    const size = Math.max(1, Math.floor((bytesPerSecond * PIECE) / 1000));
    const pieces: Buffer[] = [];
    for (let at = 0; at < chunk.length; at += size) pieces.push(chunk.subarray(at, at + size));
    return pieces;
  }

  /** When that many bytes more will have arrived. */
  #passes(size: number): number {
    const { latency, bytesPerSecond = Number.POSITIVE_INFINITY } = this.#shape;
    this.#free = Math.max(this.#free, this.#clock.elapsed()) + (size / bytesPerSecond) * 1000;
    return this.#free + latency;
  }

  #arm(): void {
    if (this.#shape.released.aborted) {
      this.#arrive();
      return;
    }
    const [first] = this.#parcels;
    if (first === undefined || this.#timer !== undefined) return;
    this.#timer = this.#clock.setTimer(first.due - this.#clock.elapsed(), () => this.#arrive());
  }

  #arrive(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
    const now = this.#clock.elapsed();
    for (;;) {
      const [parcel] = this.#parcels;
      if (parcel === undefined || (parcel.due > now && !this.#shape.released.aborted)) break;
      this.#parcels.shift();
      this.#underWay -= parcel.chunk?.length ?? 0;
      if (parcel.chunk !== undefined) this.#deliver(parcel.chunk);
      parcel.arrived();
    }
    if (this.#parcels.length > 0) this.#arm();
  }
}

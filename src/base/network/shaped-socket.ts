import type { Socket } from 'node:net';
import { Duplex } from 'node:stream';
import type { Clock, Timer } from '../clock/clock.js';

/** How bytes pass on a connection, until `released` aborts. */
export interface Shape {
  /** Extra milliseconds in each direction. */
  readonly latency: number;
  /** Undefined for no limit. Each direction has its own. */
  readonly bytesPerSecond: number | undefined;
  readonly released: AbortSignal;
}

/** Bytes in transit in one direction before the sender has to wait. */
const WINDOW = 256 * 1024;
/** A limited rate applies to pieces that take this time, in ms. */
const PIECE = 20;

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
  /** The bytes in transit; undefined for the end. */
  chunk: Buffer | undefined;
  /** When its next piece arrives, on the clock. */
  due: number;
  readonly arrived: () => void;
}

/** Cost of a parcel in addition to its bytes: even a parcel with one byte is an object. */
const PARCEL = 1024;

const sizeOf = (chunk: Buffer | undefined): number => PARCEL + (chunk?.length ?? 0);

/** One direction: parcels arrive in order, each when its bytes have passed and the latency is over. */
export class Lane {
  readonly #shape: Shape;
  readonly #clock: Clock;
  readonly #deliver: (chunk: Buffer) => void;
  readonly #parcels: Parcel[] = [];
  #underWay = 0;
  /** When the last byte will have passed. */
  #free = 0;
  #timer: Timer | undefined;
  readonly #rush = () => this.#arrive();

  constructor(shape: Shape, clock: Clock, deliver: (chunk: Buffer) => void) {
    this.#shape = shape;
    this.#clock = clock;
    this.#deliver = deliver;
    shape.released.addEventListener('abort', this.#rush);
  }

  /** Calls `taken` when there is space: immediately within the window, otherwise when these bytes have arrived. */
  put(chunk: Buffer | undefined, taken: () => void): void {
    this.#underWay += sizeOf(chunk);
    const waits = chunk === undefined || this.#underWay > WINDOW;
    const begins = Math.max(this.#free, this.#clock.elapsed());
    this.#free = begins + this.#takes(chunk?.length ?? 0);
    const due = begins + this.#takes(this.#pieceOf(chunk)) + this.#shape.latency;
    this.#parcels.push({ chunk, due, arrived: waits ? taken : () => {} });
    if (!waits) taken();
    this.#arm();
  }

  stop(): void {
    this.#timer?.cancel();
    this.#parcels.length = 0;
    this.#shape.released.removeEventListener('abort', this.#rush);
  }

  /** Bytes of the piece that arrives next. */
  #pieceOf(chunk: Buffer | undefined): number {
    const { bytesPerSecond, released } = this.#shape;
    const length = chunk?.length ?? 0;
    if (bytesPerSecond === undefined || released.aborted) return length;
    return Math.min(length, Math.max(1, Math.floor((bytesPerSecond * PIECE) / 1000)));
  }

  /** Milliseconds in which that many bytes pass. */
  #takes(size: number): number {
    return (size / (this.#shape.bytesPerSecond ?? Number.POSITIVE_INFINITY)) * 1000;
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
      if (this.#arrivePiece(parcel)) continue;
      this.#parcels.shift();
      this.#underWay -= PARCEL;
      parcel.arrived();
    }
    if (this.#parcels.length > 0) this.#arm();
  }

  /** Delivers the next piece. False if it is the last. */
  #arrivePiece(parcel: Parcel): boolean {
    const { chunk } = parcel;
    if (chunk === undefined) return false;
    const size = this.#pieceOf(chunk);
    this.#underWay -= size;
    parcel.chunk = chunk.subarray(size);
    parcel.due += this.#takes(this.#pieceOf(parcel.chunk));
    this.#deliver(chunk.subarray(0, size));
    return parcel.chunk.length > 0;
  }
}

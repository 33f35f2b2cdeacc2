import { HEAD } from './frame.js';
import { LARGEST_MESSAGE } from './limits.js';
import type { Pipe, PipeHandlers } from './pipe.js';

/** Bytes before each piece: the number of the connection and the length of the piece. */
const PIECE_HEAD = 8;
/** Bytes of the longest piece (nri pkg/net/multiplex, maxPayloadSize). */
const LARGEST_PIECE = HEAD + LARGEST_MESSAGE;
/**
 * Bytes of the first piece of a message. A Go program reads whole pieces: into a buffer of this size first, then into
 * one for the rest of the message, and fails if a piece is longer. It holds 256 unread pieces, and fails at the next.
 */
const FIRST_PIECE = 4096;

/** Several connections on one pipe, by number (nri pkg/net/multiplex). */
export interface Mux {
  /** Opens a connection. Data for unknown connections is dropped. Closing it leaves the others open. */
  open(id: number): Pipe;
  close(): void;
}

/** Divides a pipe. Reads nothing before `start` is called, so that no connection misses data. */
export function multiplex(trunk: Pipe): Mux & { start(): void } {
  const connections = new Map<number, PipeHandlers>();
  const closeAll = () => {
    const all = [...connections.values()];
    connections.clear();
    for (const { closed } of all) closed();
  };
  const reader = new PieceReader({
    piece: (id, bytes) => connections.get(id)?.data(bytes),
    malformed: () => trunk.close(),
  });
  return {
    start: () => trunk.listen({ data: (chunk) => reader.push(chunk), closed: closeAll }),
    open: (id) => ({
      listen: (handlers) => {
        connections.set(id, handlers);
      },
      write: (bytes) => {
        if (!connections.has(id)) return;
        trunk.write(encodePiece(id, bytes.subarray(0, FIRST_PIECE)));
        if (bytes.length > FIRST_PIECE) trunk.write(encodePiece(id, bytes.subarray(FIRST_PIECE)));
      },
      close: () => {
        const handlers = connections.get(id);
        connections.delete(id);
        handlers?.closed();
      },
    }),
    close: () => {
      trunk.close();
      closeAll();
    },
  };
}

function encodePiece(id: number, bytes: Buffer): Buffer {
  const piece = Buffer.allocUnsafe(PIECE_HEAD + bytes.length);
  piece.writeUInt32BE(id, 0);
  piece.writeUInt32BE(bytes.length, 4);
  bytes.copy(piece, PIECE_HEAD);
  return piece;
}

interface PieceHandlers {
  /** A piece, or a part of one: a connection is a stream of bytes. */
  piece(id: number, bytes: Buffer): void;
  malformed(): void;
}

/** Divides a stream of bytes into pieces, and holds none of them. */
class PieceReader {
  readonly #handlers: PieceHandlers;
  #head = Buffer.alloc(0);
  #id = 0;
  /** Remaining bytes of the present piece. */
  #left = 0;
  #isBroken = false;

  constructor(handlers: PieceHandlers) {
    this.#handlers = handlers;
  }

  push(chunk: Buffer): void {
    let rest = chunk;
    while (rest.length > 0 && !this.#isBroken) {
      if (this.#left === 0) rest = this.#readHead(rest);
      else {
        const part = rest.subarray(0, this.#left);
        this.#left -= part.length;
        rest = rest.subarray(part.length);
        this.#handlers.piece(this.#id, part);
      }
    }
  }

  #readHead(rest: Buffer): Buffer {
    const taken = rest.subarray(0, PIECE_HEAD - this.#head.length);
    this.#head = Buffer.concat([this.#head, taken]);
    if (this.#head.length < PIECE_HEAD) return Buffer.alloc(0);
    this.#id = this.#head.readUInt32BE(0);
    this.#left = this.#head.readUInt32BE(4);
    this.#head = Buffer.alloc(0);
    if (this.#left > LARGEST_PIECE) {
      this.#isBroken = true;
      this.#handlers.malformed();
    }
    return rest.subarray(taken.length);
  }
}

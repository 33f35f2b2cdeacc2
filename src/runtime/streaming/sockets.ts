import type { Socket } from 'node:net';
import { breakSocket } from '../../base/network/treated-socket.js';

/** Connections that end, break and pause with the runtime. */
export class StreamSockets {
  readonly #sockets = new Set<Socket>();
  #held: Promise<unknown> | undefined;

  add(socket: Socket): void {
    this.#sockets.add(socket);
    socket.once('close', () => this.#sockets.delete(socket));
    if (this.#held) holdOutput(socket, this.#held);
  }

  hold(until: Promise<unknown>): void {
    for (const socket of this.#sockets) holdOutput(socket, until);
    const all = Promise.all([this.#held, until]);
    this.#held = all;
    void all.then(() => {
      if (this.#held === all) this.#held = undefined;
    });
  }

  breakAll(): void {
    for (const socket of this.#sockets) breakSocket(socket);
  }

  async close(): Promise<void> {
    const closed = [...this.#sockets].map(
      (socket) => new Promise((resolve) => socket.once('close', resolve)),
    );
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all(closed);
  }
}

/** Data written in the meantime is sent then. */
function holdOutput(socket: Socket, until: Promise<unknown>): void {
  socket.cork();
  void until.then(() => socket.uncork());
}

/** What a wire needs of a socket: `net.Socket` has it. */
export interface Wire {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * The real sockets between this process and the programs that share its virtual clock. The clock sees by them whether
 * bytes still move at an instant, and whether a program has something to read.
 */
export interface Wires {
  /** Follows a socket until it is closed. */
  follow(wire: Wire): void;
  /** Grows with each byte that is sent, each new socket and each that is closed. */
  sent(): number;
  /** Grows with each byte that is received, too. */
  moved(): number;
}

/** Makes a counter of the bytes of sockets. */
export function createWires(): Wires {
  const open = new Set<Wire>();
  let closedRead = 0;
  let closedWritten = 0;
  let changes = 0;
  const sent = () => {
    let sum = closedWritten + changes;
    for (const { bytesWritten } of open) sum += bytesWritten;
    return sum;
  };
  return {
    follow: (wire) => {
      open.add(wire);
      changes++;
      wire.once('close', () => {
        open.delete(wire);
        changes++;
        closedRead += wire.bytesRead;
        closedWritten += wire.bytesWritten;
      });
    },
    sent,
    moved: () => {
      let sum = sent() + closedRead;
      for (const { bytesRead } of open) sum += bytesRead;
      return sum;
    },
  };
}

/** The part of `net.Socket` that a wire needs. */
export interface Wire {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  once(event: 'close', listener: () => void): unknown;
}

/**
 * Real sockets between this process and the programs on its virtual clock. They show the clock whether bytes still move
 * at an instant, and whether a program has something to read.
 */
export interface Wires {
  follow(wire: Wire): void;
  /** Increases with each byte sent, each new socket and each closed one. */
  sent(): number;
  /** Also increases with each byte received. */
  moved(): number;
}

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

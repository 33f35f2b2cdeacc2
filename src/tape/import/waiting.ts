/** What waits in line, by what it waits for. To take one takes the same time however many there are. */
export class Waiting<T> {
  readonly #lines = new Map<string, { first: Place<T>; last: Place<T> }>();

  /** At the end of a line. */
  add(key: string, value: T): void {
    const place: Place<T> = { value, next: undefined };
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { first: place, last: place });
    else {
      line.last.next = place;
      line.last = place;
    }
  }

  /** The first one of a line, which is taken out of it; undefined for none. */
  take(key: string): T | undefined {
    const line = this.#lines.get(key);
    if (line === undefined) return undefined;
    const { value, next } = line.first;
    if (next === undefined) this.#lines.delete(key);
    else line.first = next;
    return value;
  }
}

interface Place<T> {
  readonly value: T;
  next: Place<T> | undefined;
}

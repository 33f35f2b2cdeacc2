/** Containers that this server is creating: they may be in Docker, but not in `Pods`, and must not be removed. */
export class Making {
  readonly #ends = new Map<string, Promise<unknown>>();

  async run<T>(id: string, make: () => Promise<T>): Promise<T> {
    const made = make();
    this.#ends.set(
      id,
      made.catch(() => {}),
    );
    try {
      return await made;
    } finally {
      this.#ends.delete(id);
    }
  }

  has(id: string): boolean {
    return this.#ends.has(id);
  }

  async untilMade(id: string): Promise<void> {
    await this.#ends.get(id);
  }
}

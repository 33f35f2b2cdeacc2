/** Containers that this server is making: in Docker already, perhaps, and not in `Pods` yet. Not one that nobody knows. */
export class Making {
  readonly #ends = new Map<string, Promise<unknown>>();

  /** Runs what makes, and perhaps removes again, the container with this id. */
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

  /** Resolves once nothing makes it. */
  async untilMade(id: string): Promise<void> {
    await this.#ends.get(id);
  }
}

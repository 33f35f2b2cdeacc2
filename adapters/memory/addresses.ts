/** Pod addresses: 127.64.0.0/10, loopback addresses that nothing else uses, lowest free one first. */
export class AddressPool {
  readonly #free: number[] = [];
  #next = 1;

  take(): string {
    const index = this.#free.pop() ?? this.#next++;
    if (index >= 2 ** 22) throw new RangeError('all 4,194,303 pod addresses of 127.64.0.0/10 are taken');
    return `127.${64 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  }

  release(address: string): void {
    const [, second = 0, third = 0, fourth = 0] = address.split('.').map(Number);
    this.#free.push(((second - 64) << 16) | (third << 8) | fourth);
  }
}

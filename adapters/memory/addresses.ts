/** Pod addresses: 127.64.0.0/10, loopback addresses that nothing else uses, lowest free one first. */
export class AddressPool {
  readonly #free: number[] = [];
  #next = 1;

  take(): string {
    const index = this.#free.pop() ?? this.#next++;
    if (index >= 2 ** 22) throw new RangeError('all 4,194,303 pod addresses of 127.64.0.0/10 are taken');
    return `127.${64 + (index >> 16)}.${(index >> 8) & 255}.${index & 255}`;
  }

  /** Whether a pod has it at present. */
  has(address: string): boolean {
    const index = indexOf(address);
    return index > 0 && index < this.#next && !this.#free.includes(index);
  }

  release(address: string): void {
    this.#free.push(indexOf(address));
  }
}

/** 0 for what is no pod's address. */
function indexOf(address: string): number {
  if (!/^127\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.\d{1,3}\.\d{1,3}$/.test(address)) return 0;
  const [, second = 0, third = 0, fourth = 0] = address.split('.').map(Number);
  return ((second - 64) << 16) | (third << 8) | fourth;
}

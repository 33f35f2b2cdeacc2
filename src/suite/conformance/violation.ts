export class Violation extends Error {
  override readonly name = 'Violation';
  readonly expected: string;
  readonly received: string;

  constructor(expected: string, received: string) {
    super(`expected ${expected}, received ${received}`);
    this.expected = expected;
    this.received = received;
  }
}

/** Skips a check that this runtime cannot decide. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

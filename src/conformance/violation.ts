/** A rule that does not hold. */
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

/** Ends a check that can't be decided on this runtime. */
export class Skip extends Error {
  override readonly name = 'Skip';
}

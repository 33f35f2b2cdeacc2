import type { CheckContext } from './check-context.js';

/** How binding a rule is: stated by api.proto, true of containerd and CRI-O alike, or demanded of a strict runtime only. */
export type Tag = 'spec' | 'common' | 'strict';

/** The parts of the API that checks are about, in the order in which they run. */
export const groups = [
  'info',
  'images',
  'sandbox',
  'container',
  'idempotence',
  'concurrency',
  'lists',
  'filters',
  'round trip',
  'time',
  'exit data',
  'events',
  'streaming lists',
  'exec and streaming',
  'logs',
  'stats',
  'resources',
  'checkpoint',
] as const;
/** One of `groups`. */
export type Group = (typeof groups)[number];

/** What a check can't do without; each is probed, and its absence is a skip with the reason. */
export type Need =
  | 'events'
  | 'forced removal'
  | 'streaming lists'
  | 'metrics'
  | 'pod stats'
  | 'update resources'
  | 'checkpoint container'
  | 'checkpoint pod'
  | 'network ready'
  | 'restart command'
  | 'control url';

/** One rule put to the test. */
export interface Check {
  /** `INV-29`, with a suffix where an invariant needs several checks: `INV-12.sandbox`. */
  readonly id: string;
  readonly group: Group;
  readonly tag: Tag;
  /** The rule in one sentence. */
  readonly rule: string;
  /** Where the rule comes from. */
  readonly source: string;
  readonly needs?: readonly Need[];
  /** `alone`: while no other check runs. `last`: alone too, and after all others, for it may stall the runtime. */
  readonly isolation?: 'alone' | 'last';
  run(trial: CheckContext): Promise<void>;
}

/** The invariant that a check belongs to: `INV-12` of `INV-12.sandbox`. */
export const invariantOf = (id: string): string => id.split('.', 1)[0] as string;

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

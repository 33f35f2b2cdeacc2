import type { CheckContext } from './check-context.js';
import type { Need } from './facts.js';

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

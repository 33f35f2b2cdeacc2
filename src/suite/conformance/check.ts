import type { CheckContext } from './check-context.js';
import type { Need } from './facts.js';

/** Strength of a rule: stated by api.proto, common to containerd and CRI-O, or required only of a strict runtime. */
export type Tag = 'spec' | 'common' | 'strict';

/** The parts of the API that checks cover, in the order in which they run. */
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
  'restart',
] as const;
export type Group = (typeof groups)[number];

/** A pull request of a runtime: `containerd#12714`. */
export type Upstream = `${'containerd' | 'cri-o'}#${number}`;

export interface Check {
  /** `INV-29`, with a suffix if an invariant has several checks: `INV-12.sandbox`. */
  readonly id: string;
  readonly group: Group;
  readonly tag: Tag;
  readonly rule: string;
  readonly source: string;
  /** Bugs that the check finds, by the pull requests that fixed them. */
  readonly upstream?: readonly Upstream[];
  readonly needs?: readonly Need[];
  /** `alone`: while no other check runs. `last`: alone and after all others, because it can stall the runtime. */
  readonly isolation?: 'alone' | 'last';
  run(context: CheckContext): Promise<void>;
}

/** Invariant of a check: `INV-12` of `INV-12.sandbox`. */
export const invariantOf = (id: string): string => id.split('.', 1)[0] as string;

const REPOSITORIES: Readonly<Record<string, string>> = {
  containerd: 'https://github.com/containerd/containerd',
  'cri-o': 'https://github.com/cri-o/cri-o',
};

export function linkOf(upstream: Upstream): string {
  const [runtime = '', number] = upstream.split('#');
  return `${REPOSITORIES[runtime]}/pull/${number}`;
}

import type { RuntimeHandler } from '../../cri/gen/runtime/v1/api.js';

export type EventMode = 'open' | 'ends at once' | 'unimplemented';

export interface Facts {
  readonly runtimeName: string;
  readonly runtimeVersion: string;
  readonly handlers: readonly RuntimeHandler[];
  readonly events: EventMode;
  /** Whether every subscriber gets every event, so that checks do not take events away from each other. */
  readonly sharesEvents: boolean;
  /** Image of the checks' containers; it has a shell. */
  readonly image: string;
  /** Reasons of unmet needs; all others are met. */
  readonly missing: ReadonlyMap<Need, string>;
}

/** A precondition of a check. Each is probed; if it is not met, the check is skipped with the reason. */
export const needs = [
  'events',
  'forced removal',
  'streaming lists',
  'metrics',
  'pod stats',
  'update resources',
  'update pod resources',
  'checkpoint container',
  'checkpoint pod',
  'network ready',
  'supplemental groups policy',
  'user namespaces',
  'recursive read-only',
  'restart command',
  'control url',
] as const;
export type Need = (typeof needs)[number];

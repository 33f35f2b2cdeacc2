import type { Clock } from '../../base/clock/clock.js';
import type { Accounts } from '../../base/input/account.js';
import { CriError } from '../../cri/errors.js';
import type { RuntimeHandler } from '../../cri/gen/runtime/v1/api.js';
import type { Backend } from './backend.js';
import type { EventBus } from './events/event-bus.js';
import type { Announce } from './events/events.js';
import type { PodQueue } from './lifecycle/pod-queue.js';
import type { Transitions } from './lifecycle/transitions.js';
import type { EngineRules } from './rules.js';
import type { Conditions } from './state/conditions.js';
import type { NameRegistry } from './state/names.js';
import type { Store } from './state/store.js';
import type { Timestamps } from './state/timestamps.js';

export interface Engine {
  readonly backend: Backend;
  readonly rules: EngineRules;
  readonly handlers: readonly RuntimeHandler[];
  readonly clock: Clock;
  readonly accounts: Accounts;
  readonly store: Store;
  readonly names: NameRegistry;
  readonly queue: PodQueue;
  readonly timestamps: Timestamps;
  readonly transitions: Transitions;
  readonly conditions: Conditions;
  readonly bus: EventBus;
  readonly announce: Announce;
  readonly newId: () => string;
  readonly streamItems: number;
  /** Sandboxes that are being created and not visible yet, by id. */
  readonly starting: Map<string, { died: boolean }>;
}

/** For steps that complete even when the client has gone (a started removal). */
export function uncancelled(): { readonly signal: AbortSignal } {
  return { signal: new AbortController().signal };
}

/** The error of a creation that its client cancelled; it leaves nothing behind. */
export function cancelled(what: string): CriError {
  return new CriError('cancelled', `${what} was cancelled by the client and undone`);
}

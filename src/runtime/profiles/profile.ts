import type { Clock } from '../../base/clock/clock.js';
import type { CriError } from '../../cri/errors.js';
import type { Layer } from '../../cri/layer.js';
import type { CodeName } from '../../cri/status-code.js';
import type { EventOptions } from '../engine/events/event-options.js';
import type { EngineRules } from '../engine/rules.js';
import type { NriRules } from '../nri/rules.js';
import type { Latency } from './latency/latency.js';

export interface Answer {
  readonly code: CodeName;
  readonly text: string;
}

export interface RuntimeProfile {
  /** `containerd-2.4` */
  readonly name: string;
  /** From its Version call: `containerd`, `2.4.2+unknown` */
  readonly runtime: { readonly name: string; readonly version: string };
  readonly rules: EngineRules;
  readonly events: Partial<EventOptions>;
  /** RPCs that it does not have, with the text of UNIMPLEMENTED. */
  readonly missing: ReadonlyMap<string, string>;
  /** Code and text for an error of the engine. `request` is the call's, `now` in Unix nanoseconds. */
  answer(method: string, error: CriError, request: object, now: bigint): Answer;
  /** Node resource plugins; defaults are those of containerd 2.4. */
  readonly nri?: Partial<NriRules>;
  /** Default number of items in a message of a Stream* list. Default: the engine's. */
  readonly streamItems?: number;
  /** Replaces replies in front of the engine. A message of a Stream* list has `streamItems` items. */
  replies(clock: Clock, streamItems: number): Layer;
  latency(): Latency;
}

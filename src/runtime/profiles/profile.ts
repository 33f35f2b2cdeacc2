import type { Clock } from '../../base/clock/clock.js';
import type { CriError } from '../../cri/errors.js';
import type { Layer } from '../../cri/layer.js';
import type { CodeName } from '../../cri/status-code.js';
import type { EventOptions } from '../engine/events/event-options.js';
import type { EngineRules } from '../engine/rules.js';
import type { NriRules } from '../nri/rules.js';
import type { Latency } from './latency/latency.js';

/** What a call fails with. */
export interface Answer {
  readonly code: CodeName;
  readonly text: string;
}

/** A real runtime as its clients see it, over the engine. */
export interface RuntimeProfile {
  /** `containerd-2.1` */
  readonly name: string;
  /** As its Version call says them: `containerd`, `2.1.9+unknown` */
  readonly runtime: { readonly name: string; readonly version: string };
  readonly rules: EngineRules;
  /** What subscribers to events may count on, where nothing else is set. */
  readonly events: Partial<EventOptions>;
  /** RPCs that it does not have, with the text of UNIMPLEMENTED. */
  readonly missing: ReadonlyMap<string, string>;
  /** Code and text for an error of the engine. `request` is the call's, `now` in Unix nanoseconds. */
  answer(method: string, error: CriError, request: object, now: bigint): Answer;
  /** Node resource plugins; as containerd 2.4 has them where nothing else is set. */
  readonly nri?: Partial<NriRules>;
  /** Items in a message of a Stream* list, where nothing else is set. Default: the engine's. */
  readonly streamItems?: number;
  /** Goes in front of the engine: replies that are other ones. A message of a Stream* list has `streamItems` items. */
  replies(clock: Clock, streamItems: number): Layer;
  /** How long it takes, as measured. */
  latency(): Latency;
}

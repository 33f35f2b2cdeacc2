import type { ActionName } from '../runtime/faults/language/actions.js';
import type { FaultInput } from '../runtime/faults/language/rule-schema.js';
import type { FaultHandle } from './fault-handle.js';

/** What a rule does, as a file writes it. */
export type Then = FaultInput['then'];
type Options<N extends ActionName> = NonNullable<Then[N]>;
type ErrorOptions = Options<'error'>;
type StatusName = NonNullable<ErrorOptions['code']>;

/** The actions that have a shorter form. */
interface ShortActions {
  /**
   * Fails the call with a gRPC status, default UNKNOWN: before its work; with `{effect: 'after'}` when the work is
   * done; with `{effect: 'late', lateBy: '1s'}` at once, and the work follows.
   */
  error(code?: StatusName, message?: string, options?: Omit<ErrorOptions, 'code' | 'message'>): FaultHandle;
  /** Ends a stream with a status, default UNAVAILABLE. */
  close(code?: StatusName, message?: string): FaultHandle;
  /** Delays by a duration such as `250ms`, or by `{duration, jitter, distribution}`. */
  delay(delay: NonNullable<Then['delay']>): FaultHandle;
  /** Holds a call up for a while; without a duration until the rule is removed. */
  hang(duration?: string): FaultHandle;
  /** Nothing comes any more on a stream or connection, for a while or until the rule is removed. */
  stall(duration?: string): FaultHandle;
  /** Every call and stream waits, as after SIGSTOP, for a while or until the rule is removed. */
  pause(duration?: string): FaultHandle;
}

/** The actions whose options are those of the rule language, each by its name there. */
export type PlainActions = {
  readonly [N in Exclude<ActionName, keyof ShortActions>]: (options?: Options<N>) => FaultHandle;
};

/**
 * Every action of the rule language (docs/faults.md). Each puts the rule into force; throws InputError for one that
 * could never act.
 */
export interface FaultActions extends ShortActions, PlainActions {
  /**
   * Another reply: `{patch}` changes fields, `{replace}` is all of it, `{empty: true}` has none, `{stale: true}` is the
   * one before, `{pad}` adds bytes that clients skip.
   */
  reply(options?: Options<'reply'>): FaultHandle;
  /** Breaks the call with RST_STREAM, default INTERNAL_ERROR; with `{scope: 'connection'}` the connection. */
  reset(options?: Options<'reset'>): FaultHandle;
  /** Ends a stream with status OK, as if nothing more were to come. */
  end(options?: Options<'end'>): FaultHandle;
  /** Loses a message of a stream. */
  drop(options?: Options<'drop'>): FaultHandle;
  /** Sends a message of a stream again, `copies` times; default 1. */
  duplicate(options?: Options<'duplicate'>): FaultHandle;
  /** Sends messages latest first, `window` at a time; default 2. */
  reorder(options?: Options<'reorder'>): FaultHandle;
  /** Sends the `last` messages before this one again behind it; default 1. */
  replay(options?: Options<'replay'>): FaultHandle;
  /** Slows a stream down to `perSecond` messages, or a connection to `bytesPerSecond`. */
  throttle(options?: Options<'throttle'>): FaultHandle;
  /** Closes a new connection at once. */
  refuse(options?: Options<'refuse'>): FaultHandle;
  /** Sends clients away with GOAWAY: they have to reconnect. */
  goaway(options?: Options<'goaway'>): FaultHandle;
  /** Holds everything on a connection back by `duration`, in either direction. */
  latency(options?: Options<'latency'>): FaultHandle;
  /** Takes the socket away with all connections, for `downFor` (default 0s); `state: 'lose'` forgets all pods too. */
  restart(options?: Options<'restart'>): FaultHandle;
  /** What Status says of RuntimeReady or NetworkReady: not ready unless `status` is true; `for` a while. */
  condition(options?: Options<'condition'>): FaultHandle;
  /** Shifts the runtime's timestamps `by` a duration that may be negative, `for` a while. */
  clockSkew(options?: Options<'clockSkew'>): FaultHandle;
  /** Ends the containers that match: `code` (default 1), or `signal` (128 and its number). */
  exit(options?: Options<'exit'>): FaultHandle;
  /** Ends the containers that match for lack of memory: 137, OOMKilled. */
  oom(options?: Options<'oom'>): FaultHandle;
  /** StopContainer waits for its grace period, and then kills. */
  ignoreStop(options?: Options<'ignoreStop'>): FaultHandle;
  /** StartContainer takes `duration` longer. */
  slowStart(options?: Options<'slowStart'>): FaultHandle;
  /** RunPodSandbox or CreateContainer takes `duration` longer in the runtime, which continues when its client has gone. */
  slowCreate(options?: Options<'slowCreate'>): FaultHandle;
  /** Containers show as CONTAINER_UNKNOWN with exit code 255, in ContainerStatus and ListContainers. */
  loseStatus(options?: Options<'loseStatus'>): FaultHandle;
}

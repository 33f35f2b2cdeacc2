import type { ActionName } from '../runtime/faults/language/actions.js';
import type { FaultInput } from '../runtime/faults/language/rule-schema.js';
import type { FaultHandle } from './fault-handle.js';

/** A rule's action, as in a file. */
export type Then = FaultInput['then'];
type Options<N extends ActionName> = NonNullable<Then[N]>;
type ErrorOptions = Options<'error'>;
type StatusName = NonNullable<ErrorOptions['code']>;

interface ShortActions {
  /**
   * Fails the call with a gRPC status, default UNKNOWN: before its work; with `{effect: 'after'}` after the work; with
   * `{effect: 'late', lateBy: '1s'}` immediately, with the work later.
   */
  error(code?: StatusName, message?: string, options?: Omit<ErrorOptions, 'code' | 'message'>): FaultHandle;
  /** Ends a stream with a status, default UNAVAILABLE. */
  close(code?: StatusName, message?: string): FaultHandle;
  /** Delays by a duration such as `250ms`, or by `{duration, jitter, distribution}`. */
  delay(delay: NonNullable<Then['delay']>): FaultHandle;
  /** Blocks a call for a while; without a duration until the rule is removed. */
  hang(duration?: string): FaultHandle;
  /** Stops all data on a stream or connection, for a while or until the rule is removed. */
  stall(duration?: string): FaultHandle;
  /** Pauses every call and stream, as after SIGSTOP, for a while or until the rule is removed. */
  pause(duration?: string): FaultHandle;
}

/** Actions with the rule language's options, by their names there. */
export type PlainActions = {
  readonly [N in Exclude<ActionName, keyof ShortActions>]: (options?: Options<N>) => FaultHandle;
};

/** Every action of the rule language (docs/faults.md) activates the rule. Throws InputError if it could never act. */
export interface FaultActions extends ShortActions, PlainActions {
  /**
   * Changes the reply: `{patch}` changes fields, `{replace}` replaces it, `{empty: true}` empties it, `{stale: true}`
   * repeats the previous one, `{pad}` adds bytes that clients skip.
   */
  reply(options?: Options<'reply'>): FaultHandle;
  /** Resets the call with RST_STREAM, default INTERNAL_ERROR; with `{scope: 'connection'}` the connection. */
  reset(options?: Options<'reset'>): FaultHandle;
  /** Ends a stream with status OK, as if it were complete. */
  end(options?: Options<'end'>): FaultHandle;
  /** Drops a message of a stream. */
  drop(options?: Options<'drop'>): FaultHandle;
  /** Repeats a message of a stream `copies` times; default 1. */
  duplicate(options?: Options<'duplicate'>): FaultHandle;
  /** Reverses messages of a stream, `window` at a time; default 2. */
  reorder(options?: Options<'reorder'>): FaultHandle;
  /** Repeats the `last` messages after this one; default 1. */
  replay(options?: Options<'replay'>): FaultHandle;
  /** Limits a stream to `perSecond` messages, or a connection to `bytesPerSecond`. */
  throttle(options?: Options<'throttle'>): FaultHandle;
  /** Closes a new connection immediately. */
  refuse(options?: Options<'refuse'>): FaultHandle;
  /** Sends GOAWAY: clients have to reconnect. */
  goaway(options?: Options<'goaway'>): FaultHandle;
  /** Delays all data on a connection by `duration`, in both directions. */
  latency(options?: Options<'latency'>): FaultHandle;
  /** Removes the socket and all connections for `downFor` (default 0s); `state: 'lose'` also forgets all pods. */
  restart(options?: Options<'restart'>): FaultHandle;
  /** Changes RuntimeReady or NetworkReady in Status: not ready unless `status` is true; `for` a while. */
  condition(options?: Options<'condition'>): FaultHandle;
  /** Shifts the runtime's timestamps `by` a positive or negative duration, `for` a while. */
  clockSkew(options?: Options<'clockSkew'>): FaultHandle;
  /** Ends matching containers with `code` (default 1), or `signal` (128 plus its number). */
  exit(options?: Options<'exit'>): FaultHandle;
  /** Ends matching containers by the OOM killer: 137, OOMKilled. */
  oom(options?: Options<'oom'>): FaultHandle;
  /** StopContainer waits for its grace period, then kills. */
  ignoreStop(options?: Options<'ignoreStop'>): FaultHandle;
  /** StartContainer takes `duration` longer. */
  slowStart(options?: Options<'slowStart'>): FaultHandle;
  /** RunPodSandbox or CreateContainer takes `duration` longer; the runtime continues after its client has gone. */
  slowCreate(options?: Options<'slowCreate'>): FaultHandle;
  /** Shows containers as CONTAINER_UNKNOWN with exit code 255, in ContainerStatus and ListContainers. */
  loseStatus(options?: Options<'loseStatus'>): FaultHandle;
}

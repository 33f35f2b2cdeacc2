import type { Entry } from '../../../tape/entries.js';
import { podText } from '../../../tape/pod-text.js';
import { listenTo, type Tape } from '../../../tape/tape.js';
import { isReading, type KeptTape } from '../../scenario/expect/kept-tape.js';
import { createStateReader } from '../points/state.js';
import { createPaceReader, type Pace } from './pace.js';

/**
 * Quiet time in ms: longer than each of the kubelet's periodic actions, which are syncs every 60 to 90 s (syncFrequency
 * with its jitter) and the collection of dead containers every minute.
 */
const QUIET = 100_000;

/** Container starts per run; scenarios of this project have fewer than 20. */
const MOST_STARTS = 100;

export interface Steady {
  readonly state: string;
  readonly runtime: string;
  /** In ms since the kubelet's start. */
  readonly from: number;
  /** Time of the last change in ms; a new successful reply is not a change. */
  readonly changedAt: number;
  readonly pace: Pace;
}

export interface RunMonitor {
  /** In ms since the kubelet's start. */
  now(): number;
  steady(): Steady;
  /** Whether the kubelet starts containers forever: each one makes lists longer. */
  isRunaway(): boolean;
  /** Time of the last change, in ms. */
  readonly changedAt: number;
  readonly openCalls: number;
  pace(): Pace;
  isIn(steady: Steady): boolean;
  /**
   * Whether the run has reached the final state of the run without perturbations, and was quiet there since its own
   * ended at `over` (ms): then nothing can differ until the end.
   */
  hasConverged(to: Steady, over: number): boolean;
}

/** Monitors a run from now on. `sandboxes` returns the runtime's state as texts that are equal for equal states. */
export function monitorRun(
  tape: Tape,
  kept: KeptTape,
  sandboxes: () => readonly string[] = () => [],
): RunMonitor {
  const state = createStateReader('present');
  const pace = createPaceReader();
  const open = new Set<number>();
  let changedAt = 0;
  const gone = new Set<string>();
  /** Nothing else shows which PLEG finds changes. */
  let pleg = '';
  const isRunaway = watchStarts(tape);
  const read = (entry: Entry) => {
    if (entry.kind === 'pleg' && (entry.state === 'evented' || entry.state === 'generic')) pleg = entry.state;
    if (entry.kind === 'call' && entry.method !== 'GetContainerEvents') open.add(entry.call);
    if (entry.kind === 'reply' || entry.kind === 'end') open.delete(entry.call);
    if (entry.kind === 'pod' && entry.what === 'gone') gone.add(podText(entry.pod));
    if (isChange(entry)) changedAt = entry.t / 1e6;
    pace.read(entry);
    state.read(entry);
  };
  tape.listen({ entry: read });
  const text = () => `${pleg} ${[...gone].sort().join()} ${state.text}`;
  const runtimeText = () => [...sandboxes()].sort().join();
  const quietSince = (from: number) => Math.max(from, kept.activeAt / 1e6);
  const now = () => tape.now() / 1e6;
  return {
    now,
    isRunaway,
    get changedAt() {
      return changedAt;
    },
    get openCalls() {
      return open.size;
    },
    pace: () => pace.at(now()),
    isIn: ({ state, runtime }) => text() === state && runtimeText() === runtime,
    steady: () => {
      const from = kept.activeAt / 1e6;
      return { state: text(), runtime: runtimeText(), from, changedAt, pace: pace.at(now()) };
    },
    hasConverged: (to, over) => {
      const time = now();
      return (
        time >= to.from + QUIET &&
        time - quietSince(over) >= QUIET &&
        text() === to.state &&
        runtimeText() === to.runtime
      );
    },
  };
}

/** Whether so many containers have started since this call that the kubelet will never stop. */
export function watchStarts(tape: Tape): () => boolean {
  let starts = 0;
  listenTo(tape, 'container', ({ what }) => {
    if (what === 'started') starts++;
  });
  return () => starts > MOST_STARTS;
}

const changesNothing = (method: string): boolean => isReading(method) || method.startsWith('Stream');

/** Everything is a change except successful replies to reading calls, and relists. */
function isChange(entry: Entry): boolean {
  if (entry.kind === 'pleg') return entry.state !== 'relist';
  if (entry.kind === 'call' || entry.kind === 'message') return !changesNothing(entry.method);
  if (entry.kind === 'reply' || entry.kind === 'end')
    return entry.code !== 'OK' || entry.trailers !== undefined || !changesNothing(entry.method);
  return true;
}

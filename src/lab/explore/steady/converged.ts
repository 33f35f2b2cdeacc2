import type { Entry } from '../../../tape/entries.js';
import { podText } from '../../../tape/pod-text.js';
import { listenTo, type Tape } from '../../../tape/tape.js';
import { isReading, type KeptTape } from '../../scenario/expect/kept-tape.js';
import { createStateReader } from '../points/state.js';
import { createPaceReader, type Pace } from './pace.js';

/**
 * How long nothing may have happened, in ms: longer than a period of each of the kubelet's rounds that act by themselves,
 * which are syncs after 60 to 90 s (syncFrequency with its jitter) and the collection of dead containers each minute.
 */
const QUIET = 100_000;

/** Starts of containers in one run; a scenario of this project has fewer than 20. */
const MOST_STARTS = 100;

/** What a run without perturbations comes to, and from when on nothing happens in it. */
export interface Steady {
  readonly state: string;
  /** The sandboxes of the runtime. */
  readonly runtime: string;
  /** ms since the kubelet's start. */
  readonly from: number;
  /** When something last changed, in ms; good answers that are new are no change. */
  readonly changedAt: number;
  readonly pace: Pace;
}

/** What is known of a run while it takes place. */
export interface RunMonitor {
  /** ms since the kubelet's start. */
  now(): number;
  steady(): Steady;
  /** Whether so many containers were started that the kubelet never stops: each further one makes lists longer. */
  isRunaway(): boolean;
  /** When something last changed, in ms. */
  readonly changedAt: number;
  /** Calls under way, without the stream of events. */
  readonly openCalls: number;
  /** How often the kubelet asks. */
  pace(): Pace;
  /** Whether this is the state now. */
  isIn(steady: Steady): boolean;
  /**
   * Whether the run has come to the same state as the one without perturbations, in which nothing happens any more, and
   * has been quiet there after its perturbations, which are over at this time (ms): then nothing can differ until its end.
   */
  hasConverged(to: Steady, over: number): boolean;
}

/** Monitors a run from now on. `sandboxes` gives what the runtime has: texts that are equal for equal states. */
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
  /** Which generator finds changes is a state that nothing else shows. */
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

/** Whether so many containers were started, from now on, that the kubelet never stops. */
export function watchStarts(tape: Tape): () => boolean {
  let starts = 0;
  listenTo(tape, 'container', ({ what }) => {
    if (what === 'started') starts++;
  });
  return () => starts > MOST_STARTS;
}

/** Calls that change nothing, streams of a list among them. */
const changesNothing = (method: string): boolean => isReading(method) || method.startsWith('Stream');

/** Whether something has changed, or gone wrong: all but good answers to questions, and relists. */
function isChange(entry: Entry): boolean {
  if (entry.kind === 'pleg') return entry.state !== 'relist';
  if (entry.kind === 'call' || entry.kind === 'message') return !changesNothing(entry.method);
  if (entry.kind === 'reply' || entry.kind === 'end')
    return entry.code !== 'OK' || entry.trailers !== undefined || !changesNothing(entry.method);
  return true;
}

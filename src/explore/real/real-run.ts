import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import type { Clock } from '../../clock/clock.js';
import type { Runtime } from '../../engine/runtime.js';
import { readRules } from '../../faults/language/written-rule.js';
import type { Pod } from '../../kubelet/types.js';
import { freePorts } from '../../node/program/free-ports.js';
import { removeMounted } from '../../node/program/guarded-process.js';
import { programKubelet } from '../../node/program.js';
import { type KeptTape, keepTape } from '../../scenario/kept-tape.js';
import type { LoadedScenario } from '../../scenario/loaded-scenario.js';
import type { Simulation } from '../../scenario/run.js';
import { type RunReader, readRun } from '../../scenario/run-reader.js';
import { simulate } from '../../scenario/simulation.js';
import type { Tape } from '../../tape/tape.js';
import type { Schedule } from '../perturbation.js';
import { lengthOf } from '../schedule.js';
import type { Place } from './place.js';
import { createPlaced } from './placed.js';

/** What is run, and for how long. */
export interface RealRunOptions {
  readonly scenario: LoadedScenario;
  readonly schedule: Schedule;
  /** Of each perturbation; undefined for one that is in force from the start. */
  readonly places: readonly (Place | undefined)[];
  readonly program: string;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Looks at the run from time to time; true ends it. */
  readonly isDecided: (now: RealRunSoFar) => Promise<boolean>;
}

/** A run that may not be over. */
export interface RealRunSoFar {
  readonly run: Simulation;
  readonly tape: KeptTape | undefined;
  /** ms since the kubelet's start. */
  readonly elapsed: number;
}

/** A run that is over. */
export interface RealRun extends RealRunSoFar {
  /** When a perturbation acted, in ms since the kubelet's start. */
  placedAt(index: number): number | undefined;
}

/** How much longer than the thin kubelet the real one may take to come to the same place, in ms. */
const SLOWER = 20_000;
/** How often a run is looked at, in ms. */
const LOOK = 1000;

/** Never acts. Replies are kept for stale ones while a rule about replies is in force, and others come later. */
const KEEPS_REPLIES = {
  name: 'keeps-replies',
  match: { method: 'Version' },
  when: { after: 1_000_000 },
  then: { reply: { stale: true } },
} as const;

/** Runs a schedule with a real kubelet, in real time. Removes all files and mounts of the kubelet. */
export async function runReal(options: RealRunOptions): Promise<RealRun> {
  const { scenario: base, schedule, places, program, clock, signal, isDecided } = options;
  const directory = mkdtempSync(join(tmpdir(), 'mockri-kubelet-'));
  const placed = createPlaced(base, schedule, places, clock);
  const over = new AbortController();
  const reading = createReading(clock);
  const watch = async () => {
    const now = reading.soFar();
    if (signal?.aborted || (now !== undefined && (await isDecided(now)))) over.abort();
    else looks = clock.setTimer(LOOK, watch);
  };
  let looks = clock.setTimer(LOOK, watch);
  try {
    const [port = 0, readOnlyPort = 0] = await freePorts(2);
    const run = await simulate({
      scenario: {
        ...placed.scenario,
        faults: [...placed.scenario.faults, ...readRules([KEEPS_REPLIES], 'schedule')],
        until: lengthOf(base, schedule) + SLOWER,
      },
      time: 'real',
      over: 'socket',
      backend: (its) => createMemoryBackend({ clock: its }),
      kubelet: ({ settings, scenario, pods, runtime, ...context }) =>
        programKubelet({
          ...context,
          program,
          directory,
          port,
          readOnlyPort,
          nodeName: scenario.node,
          gates: settings.gates,
          config: scenario.kubelet.config,
          podSource: pods,
          manifestOf: pods.manifestOf,
          isThere: (pod) => isThere(runtime, pod),
        }),
      onTape: (made) => {
        reading.open(made);
        made.listen({ entry: placed.read });
      },
      onBuilt: (context) => {
        reading.begin();
        placed.begin(context);
      },
      onOver: reading.over,
      signal: over.signal,
    });
    const elapsed = reading.elapsed();
    return { run, tape: reading.tape(), elapsed, placedAt: (index) => placed.actedAt(run, index) };
  } finally {
    looks.cancel();
    removeMounted(directory);
  }
}

/** Whether the runtime has a sandbox or a container of a pod that runs. */
const isThere = (runtime: Runtime, { metadata }: Pod): boolean =>
  runtime
    .snapshot()
    .sandboxes.some(
      ({ name, namespace, state, containers }) =>
        name === metadata.name &&
        namespace === metadata.namespace &&
        (state === 'READY' || containers.some((each) => each.state === 'RUNNING')),
    );

/** Reads a run while it takes place. */
function createReading(clock: Clock) {
  let tape: KeptTape | undefined;
  let reader: RunReader | undefined;
  let begun = clock.elapsed();
  const elapsed = () => clock.elapsed() - begun;
  return {
    open: (made: Tape) => {
      tape = keepTape(made);
      reader = readRun(made, {});
    },
    begin: () => {
      begun = clock.elapsed();
      reader?.begin();
    },
    over: () => tape?.stop(),
    tape: () => tape,
    elapsed,
    /** Undefined before there is a tape. */
    soFar: (): RealRunSoFar | undefined =>
      reader && { run: { ...reader.result, metrics: [], left: [] }, tape, elapsed: elapsed() },
  };
}

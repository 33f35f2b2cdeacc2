import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import type { Clock } from '../../../base/clock/clock.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { makeTemporaryDirectory } from '../../../base/input/temporary-directory.js';
import type { KubeletKind } from '../../../kubelet/hosts/kubelet.js';
import { freePorts } from '../../../kubelet/hosts/program/free-ports.js';
import { removeMounted } from '../../../kubelet/hosts/program/guarded-process.js';
import { type ProgramParts, programKubelet } from '../../../kubelet/hosts/program.js';
import type { Pod } from '../../../kubelet/kubernetes/pod.js';
import type { Runtime } from '../../../runtime/engine/runtime.js';
import { readRules } from '../../../runtime/faults/language/written-rule.js';
import { createTape } from '../../../tape/tape.js';
import { type KeptTape, keepTape } from '../../scenario/expect/kept-tape.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../scenario/run/run.js';
import { type KubeletContext, openSimulation } from '../../scenario/simulation/open-simulation.js';
import { startRun } from '../../scenario/simulation/simulate.js';
import type { Schedule } from '../catalog/perturbation.js';
import { lengthOf } from '../run/schedule.js';
import { createPlaced } from './placed.js';
import type { RunPosition } from './run-position.js';

export interface RealRunOptions {
  readonly scenario: LoadedScenario;
  readonly schedule: Schedule;
  /** Position of each perturbation; undefined if it is active from the start. */
  readonly places: readonly (RunPosition | undefined)[];
  readonly program: string;
  /** Whether the program was built for virtual time. Then `clock` is not used. */
  readonly isVirtual: boolean;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Called at intervals; true ends the run. */
  readonly isDecided: (now: RealRunSoFar) => Promise<boolean>;
}

export interface RealRunSoFar {
  readonly run: Simulation;
  readonly tape: KeptTape;
  /** In ms since the kubelet's start. */
  readonly elapsed: number;
}

export interface RealRun extends RealRunSoFar {
  /** When a perturbation acted, in ms since the kubelet's start. */
  placedAt(index: number): number | undefined;
}

/** How much later than the thin kubelet the real one may reach the same position, in ms. */
const SLOWER = 20_000;
/** Interval between checks of a run, in ms. */
const LOOK = 1000;

/**
 * Never acts. Stale replies need an active rule about replies, which keeps earlier ones; the rules about other replies
 * follow.
 */
const KEEPS_REPLIES = {
  name: 'keeps-replies',
  match: { method: 'Version' },
  when: { after: 1_000_000 },
  then: { reply: { stale: true } },
} as const;

/** Runs a schedule with a real kubelet, and removes the kubelet's files and mounts afterwards. */
export async function runReal(options: RealRunOptions): Promise<RealRun> {
  const { scenario: base, schedule, places, isVirtual, program, signal, isDecided } = options;
  const clock = isVirtual ? createVirtualClock() : options.clock;
  const directory = makeTemporaryDirectory('mockri-kubelet-');
  const placed = createPlaced(base, schedule, places, clock);
  const made = createTape(clock);
  made.listen({ entry: placed.read });
  const tape = keepTape(made);
  const until = lengthOf(base, schedule) + SLOWER;
  try {
    const [port = 0, readOnlyPort = 0] = await freePorts(2);
    const simulation = await openSimulation({
      scenario: {
        ...placed.scenario,
        faults: [...placed.scenario.faults, ...readRules([KEEPS_REPLIES], 'schedule')],
        until,
      },
      tape: made,
      backend: createMemoryBackend,
      ...(isVirtual
        ? { program }
        : { over: 'socket', kubelet: realKubelet({ program, directory, port, readOnlyPort }) }),
    });
    try {
      placed.begin(simulation);
      const started = await startRun(simulation, {});
      const begun = clock.elapsed();
      const elapsed = () => clock.elapsed() - begun;
      const soFar = () => ({ run: started.soFar(), tape, elapsed: elapsed() });
      while (elapsed() < until && !signal?.aborted && !(await isDecided(soFar())))
        await simulation.advance(Math.min(elapsed() + LOOK, until));
      const run = await started.end();
      return { run, tape, elapsed: elapsed(), placedAt: (index) => placed.actedAt(run, index) };
    } finally {
      await simulation.close();
    }
  } finally {
    removeMounted(directory);
  }
}

const realKubelet =
  (program: Pick<ProgramParts, 'program' | 'directory' | 'port' | 'readOnlyPort'>) =>
  ({ settings, scenario, pods, runtime, ...context }: KubeletContext): KubeletKind =>
    programKubelet({
      ...context,
      ...program,
      nodeName: scenario.node,
      gates: settings.gates,
      config: scenario.kubelet.config,
      podSource: pods,
      manifestOf: pods.manifestOf,
      isThere: (pod) => isThere(runtime, pod),
    });

const isThere = (runtime: Runtime, { metadata }: Pod): boolean =>
  runtime
    .snapshot()
    .sandboxes.some(
      ({ name, namespace, state, containers }) =>
        name === metadata.name &&
        namespace === metadata.namespace &&
        (state === 'READY' || containers.some((each) => each.state === 'RUNNING')),
    );

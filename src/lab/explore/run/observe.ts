import { createMemoryBackend } from '../../../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { InputError } from '../../../base/input/yaml.js';
import type { NodeKubelet } from '../../../kubelet/hosts/kubelet.js';
import type { Runtime } from '../../../runtime/engine/runtime.js';
import { podText } from '../../../tape/pod-text.js';
import { createTape } from '../../../tape/tape.js';
import { type KeptTape, keepTape } from '../../scenario/expect/kept-tape.js';
import type { LoadedScenario } from '../../scenario/file/loaded-scenario.js';
import type { Simulation } from '../../scenario/run/run.js';
import { openSimulation } from '../../scenario/simulation/open-simulation.js';
import { runToEnd } from '../../scenario/simulation/simulate.js';
import { monitorRun, type RunMonitor, type Steady, watchStarts } from '../steady/converged.js';
import { createSteadyCheck } from '../steady/steady-check.js';

export interface Observed {
  /** Undefined for a run with a failure. */
  readonly run?: Simulation | undefined;
  readonly tape?: KeptTape | undefined;
  readonly monitor?: RunMonitor | undefined;
  readonly steady?: Steady | undefined;
  /** When the run ended early, in ms: it had converged, or would never end. */
  readonly ended?: number | undefined;
  readonly failure?: unknown;
  /** The check for a steady state failed: it changed the run. */
  readonly isSpoilt?: boolean;
}

export interface EarlyEnd {
  readonly steady: Steady;
  /** End of the last perturbation, in ms. */
  readonly over: number;
  readonly by: 'check' | 'waiting';
}

/**
 * Runs a scenario, on a kubelet program if given. With `end`, stops when the run can no longer differ from the one
 * without perturbations. Any exception, including unhandled rejections, is the run's failure.
 */
export async function observe(scenario: LoadedScenario, end?: EarlyEnd, program?: string): Promise<Observed> {
  const tape = createTape(createVirtualClock());
  const kept = keepTape(tape);
  let ending: Ending | undefined;
  const { value, failure } = await attempt(async () => {
    const simulation = await openSimulation({
      scenario,
      tape,
      backend: createMemoryBackend,
      program,
    });
    const { node, runtime, close } = simulation;
    const monitor = monitorRun(tape, kept, () => sandboxesOf(runtime));
    ending = createEnding(monitor, kept, () => node.host.kubelet, end);
    try {
      const run = await runToEnd(simulation, {}, ending.isOver);
      return { run, monitor, steady: end === undefined ? monitor.steady() : undefined };
    } finally {
      await close();
    }
  });
  if (value === undefined) return { failure, isSpoilt: ending?.isSpoilt === true };
  return { ...value, tape: kept, ended: ending?.endedAt, isSpoilt: ending?.isSpoilt === true };
}

/** Runs a scenario only for its visible results, without tape and steady state: takes half the time. */
export async function observeRun(scenario: LoadedScenario): Promise<Pick<Observed, 'run' | 'failure'>> {
  const tape = createTape(createVirtualClock());
  const isRunaway = watchStarts(tape);
  const { value: run, failure } = await attempt(async () => {
    const simulation = await openSimulation({ scenario, tape, backend: createMemoryBackend });
    try {
      return await runToEnd(simulation, {}, isRunaway);
    } finally {
      await simulation.close();
    }
  });
  return { run, failure };
}

/** Returns a run's result or its failure, including unhandled rejections. Throws errors of the user's input. */
async function attempt<T>(run: () => Promise<T>): Promise<{ value?: T; failure?: unknown }> {
  let failure: unknown;
  const unhandled = (error: unknown) => {
    failure ??= error;
  };
  process.on('unhandledRejection', unhandled);
  try {
    const value = await run();
    if (failure === undefined) return { value };
  } catch (error) {
    if (error instanceof InputError) throw error;
    failure ??= error;
  } finally {
    process.off('unhandledRejection', unhandled);
  }
  return { failure };
}

interface Ending {
  readonly isOver: () => boolean;
  /** In ms; undefined for a run of full length. */
  readonly endedAt: number | undefined;
  /** The check for a steady state may have changed the run, unless it passed. */
  readonly isSpoilt: boolean;
}

function createEnding(
  monitor: RunMonitor,
  kept: KeptTape,
  kubelet: () => NodeKubelet | undefined,
  end?: EarlyEnd,
): Ending {
  const check = end?.by === 'check' ? createSteadyCheck(monitor, end.steady, end.over, kubelet) : undefined;
  let endedAt: number | undefined;
  let isSpoilt = false;
  /** Effects of the check on the kubelet are not part of the run. */
  const isTried = (now: number): boolean => {
    const found = check?.look();
    if (found === 'begun') {
      isSpoilt = true;
      endedAt = now;
      kept.stop();
    }
    if (found === 'passed') isSpoilt = false;
    return found === 'passed' || found === 'failed';
  };
  return {
    isOver: () => {
      const now = monitor.now();
      if (isTried(now)) return true;
      const converged = end?.by === 'waiting' && monitor.hasConverged(end.steady, end.over);
      if (!converged && !monitor.isRunaway()) return false;
      endedAt ??= now;
      return true;
    },
    get endedAt() {
      return endedAt;
    },
    get isSpoilt() {
      return isSpoilt;
    },
  };
}

function sandboxesOf(runtime: Runtime): string[] {
  return runtime.snapshot().sandboxes.map(({ name, namespace, state, containers }) => {
    const alive = containers.filter((each) => each.state === 'RUNNING');
    return `${podText({ name, namespace })} ${state} ${alive.map((each) => each.name).sort()}`;
  });
}

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

/** A run, and what was seen of it. */
export interface Observed {
  /** Undefined for a run with a failure. */
  readonly run?: Simulation | undefined;
  readonly tape?: KeptTape | undefined;
  readonly monitor?: RunMonitor | undefined;
  /** What it has come to, if it took its whole time. */
  readonly steady?: Steady | undefined;
  /** When the run ended, in ms, if that was before its time: it had converged, or would never end. */
  readonly ended?: number | undefined;
  readonly failure?: unknown;
  /** The check for a steady state has failed: the run is not what it would be by itself. */
  readonly isSpoilt?: boolean;
}

/** When a run is to end early, and how that is found out. */
export interface EarlyEnd {
  readonly steady: Steady;
  /** When the last perturbation is over, in ms. */
  readonly over: number;
  readonly by: 'check' | 'waiting';
}

/**
 * Runs a scenario, on a kubelet program if one is given, with `end` only until nothing can differ any more from the run without perturbations. What it throws,
 * also where nobody waits for it, is its failure.
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

/** Runs a scenario for what people see of it, without its tape and what it comes to: in half of the time. */
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

/** What a run comes to, or its failure: what it throws, also where nobody waits for it. A mistake of the user is thrown. */
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

/** Whether a run is over before its time. */
interface Ending {
  /** To be called after each timer. */
  readonly isOver: () => boolean;
  /** When the run ended, in ms, if it ended before its time. */
  readonly endedAt: number | undefined;
  /** The check for a steady state may have changed the run, unless it passes. */
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
  /** What the check makes the kubelet do is not part of the run. */
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

/** Each sandbox of the runtime, and its containers that run. */
function sandboxesOf(runtime: Runtime): string[] {
  return runtime.snapshot().sandboxes.map(({ name, namespace, state, containers }) => {
    const alive = containers.filter((each) => each.state === 'RUNNING');
    return `${podText({ name, namespace })} ${state} ${alive.map((each) => each.name).sort()}`;
  });
}

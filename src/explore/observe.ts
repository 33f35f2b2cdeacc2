import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { InputError } from '../input/yaml.js';
import { type KeptTape, keepTape } from '../scenario/kept-tape.js';
import type { LoadedScenario } from '../scenario/loaded-scenario.js';
import type { Simulation } from '../scenario/run.js';
import { simulate } from '../scenario/simulation.js';
import type { TimelineContext } from '../scenario/steps.js';
import { podText } from '../tape/pod-text.js';
import type { Tape } from '../tape/tape.js';
import { monitorRun, type RunMonitor, type Steady } from './converged.js';
import { createSteadyCheck, type SteadyCheck } from './steady/steady-check.js';

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
 * Runs a scenario, with `end` only until nothing can differ any more from the run without perturbations. What it throws,
 * also where nobody waits for it, is its failure.
 */
export async function observe(scenario: LoadedScenario, end?: EarlyEnd): Promise<Observed> {
  let tape: KeptTape | undefined;
  let monitor: RunMonitor | undefined;
  let built: TimelineContext | undefined;
  let steady: Steady | undefined;
  let ended: number | undefined;
  /** It may have changed the run, unless it passes. */
  let isSpoilt = false;
  let failure: unknown;
  let check: SteadyCheck | undefined;
  const onTape = (made: Tape) => {
    tape = keepTape(made);
    monitor = monitorRun(made, tape, () => (built === undefined ? [] : sandboxesOf(built)));
    if (end?.by === 'check')
      check = createSteadyCheck(monitor, end.steady, end.over, () => built?.node.host.kubelet);
  };
  /** What the check makes the kubelet do is not part of the run. */
  const isTried = (now: number): boolean => {
    const found = check?.look();
    if (found === 'begun') {
      isSpoilt = true;
      ended = now;
      tape?.stop();
    }
    if (found === 'passed') isSpoilt = false;
    return found === 'passed' || found === 'failed';
  };
  const isOver = (): boolean => {
    if (monitor === undefined) return false;
    const now = monitor.now();
    if (end?.by === 'check' && isTried(now)) return true;
    const converged = end?.by === 'waiting' && monitor.hasConverged(end.steady, end.over);
    if (!converged && !monitor.isRunaway()) return false;
    ended ??= now;
    return true;
  };
  const unhandled = (error: unknown) => {
    failure ??= error;
  };
  process.on('unhandledRejection', unhandled);
  try {
    const run = await simulate({
      scenario,
      onTape,
      onBuilt: (context) => {
        built = context;
      },
      isOver,
      onOver: () => {
        if (end === undefined) steady = monitor?.steady();
        tape?.stop();
        monitor?.stop();
      },
      backend: (clock) => createMemoryBackend({ clock, isApart: true }),
    });
    return failure === undefined ? { run, tape, monitor, steady, ended, isSpoilt } : { failure, isSpoilt };
  } catch (error) {
    if (error instanceof InputError) throw error;
    return { failure: error, isSpoilt };
  } finally {
    process.off('unhandledRejection', unhandled);
  }
}

/** Each sandbox of the runtime, and its containers that run. */
function sandboxesOf({ runtime }: TimelineContext): string[] {
  return runtime.snapshot().sandboxes.map(({ name, namespace, state, containers }) => {
    const alive = containers.filter((each) => each.state === 'RUNNING');
    return `${podText({ name, namespace })} ${state} ${alive.map((each) => each.name).sort()}`;
  });
}

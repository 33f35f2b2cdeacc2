import type { Clock } from '../../../base/clock/clock.js';
import type { Oracle } from '../../scenario/expect/oracle.js';
import type { Perturbation, Schedule } from '../catalog/perturbation.js';
import type { Explored } from '../explore.js';
import { createRunner, type Runner } from '../run/runner.js';
import { type RealRunSoFar, runReal } from './real-run.js';
import { positionOf, type RunPosition } from './run-position.js';

export interface Confirmation {
  readonly verdict: 'confirmed' | 'not seen' | 'could not be placed';
  readonly text: string;
}

export interface ConfirmOptions {
  readonly program: string;
  /** With a kubelet built for virtual time each finding takes only seconds. */
  readonly isVirtual: boolean;
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  readonly oracle?: Oracle | undefined;
}

/** Rules whose violation is certain immediately. */
const AT_ONCE =
  /^(one-instance|attempts-grow|done-stays-done|backs-off|restarts-grow|counts-restarts|REF-\d+)$/;

/** Kubelets that run in parallel in real time: each needs a third of a core at its start. */
const SIDE_BY_SIDE = 4;

export async function confirmAll(
  explored: readonly Explored[],
  options: ConfirmOptions,
  onEach: (done: number) => void,
): Promise<Confirmation[]> {
  const verdicts: Confirmation[] = [];
  let next = 0;
  let done = 0;
  const work = async () => {
    while (next < explored.length && !options.signal?.aborted) {
      const index = next++;
      verdicts[index] = await confirm(explored[index] as Explored, options);
      onEach(++done);
    }
  };
  await Promise.all(Array.from({ length: options.isVirtual ? 1 : SIDE_BY_SIDE }, work));
  return verdicts;
}

/** Runs a finding's schedule against a real kubelet. In real time its scenario must have only static pods. */
async function confirm({ finding, scenario }: Explored, options: ConfirmOptions): Promise<Confirmation> {
  const { rule, pod, schedule } = finding;
  if (rule === 'node-ready' && !options.isVirtual)
    return unplaced('a kubelet without an API server does not say whether its node is ready');
  const runner = createRunner(scenario, { oracle: options.oracle });
  const breachOf = async ({ run, tape, elapsed }: RealRunSoFar, happened: Schedule) =>
    (await runner.judge(run, tape, happened, elapsed)).find((each) => each.rule === rule && each.pod === pod);

  const places = await placesOf(runner, schedule);
  const isDecided = async (now: RealRunSoFar) =>
    AT_ONCE.test(rule) && (await breachOf(now, schedule)) !== undefined;
  const real = await runReal({ ...options, scenario, schedule, places, isDecided });

  const happened: Perturbation[] = [];
  for (const [index, each] of schedule.entries()) {
    const at = real.placedAt(index);
    if (at === undefined) return unplaced(`the kubelet did not reach this point: ${each.text}`);
    happened.push({ ...each, at, until: at + each.until - each.at });
  }
  const seen = await breachOf(real, happened);
  if (seen !== undefined) return { verdict: 'confirmed', text: seen.message };
  const seconds = Math.round(real.elapsed / 1000);
  return { verdict: 'not seen', text: `the kubelet did not break the rule within ${seconds}s` };
}

async function placesOf(runner: Runner, schedule: Schedule): Promise<(RunPosition | undefined)[]> {
  const places: (RunPosition | undefined)[] = [];
  for (const [index, each] of schedule.entries())
    places.push(positionOf(await runner.tapeOf(schedule.slice(0, index)), each));
  return places;
}

const unplaced = (text: string): Confirmation => ({ verdict: 'could not be placed', text });

import type { Clock } from '../../base/clock/clock.js';
import { shrink } from '../diff/shrink.js';
import { type Sequence, showStep } from '../diff/steps.js';
import type { Driver } from './driver.js';
import type { BrokenKinds } from './kinds.js';
import type { Broken } from './pod-run.js';

/** Pods that try a shorter plan concurrently, and more if none shows the violation: some occur by chance. */
const TRIES = [5, 10];
/** Pods that try the shortest plan without load, one after the other. */
const ALONE = 5;

export interface Shortened {
  /** Whether the rule was broken again when the plan was repeated. */
  readonly again: boolean;
  readonly isShortest: boolean;
}

/** Removes calls from the plans of violations, under the load, until the time limit. */
export async function shortenAll(
  driver: Driver,
  kinds: BrokenKinds,
  clock: Clock,
  until: number,
  signal: AbortSignal,
  onProgress: (done: number, of: number) => void,
): Promise<ReadonlyMap<string, Shortened>> {
  const isOver = () => signal.aborted || clock.elapsed() >= until;
  const shortened = new Map<string, Shortened>();
  const { unexpected } = kinds;
  for (const { rule } of unexpected) {
    const plan = kinds.of(rule)?.plan;
    if (plan === undefined) continue;
    const seen = new Map<string, boolean>();
    const shows = async (shorter: Sequence): Promise<boolean> => {
      const text = shorter.map(showStep).join('\n');
      const known = seen.get(text);
      if (known !== undefined) return known;
      let broken: Broken | undefined;
      for (const tries of TRIES)
        if (broken === undefined && !isOver())
          broken = (await driver.replay(shorter, tries)).find((one) => one.rule === rule);
      if (broken !== undefined) kinds.shorten(rule, broken, shorter);
      seen.set(text, broken !== undefined);
      return broken !== undefined;
    };
    const again = await shows(plan);
    if (again) await shrink(plan, plan.length - 1, shows);
    shortened.set(rule, { again, isShortest: again && !isOver() });
    onProgress(shortened.size, unexpected.length);
  }
  return shortened;
}

/** Returns the rules that the shortest plans also break without any load. */
export async function showWithoutLoad(driver: Driver, kinds: BrokenKinds): Promise<ReadonlySet<string>> {
  const alone = new Set<string>();
  for (const { rule, plan } of kinds.unexpected) {
    if (plan === undefined) continue;
    for (let round = 0; round < ALONE && !alone.has(rule); round++)
      if ((await driver.replay(plan, 1)).some((one) => one.rule === rule)) alone.add(rule);
  }
  return alone;
}

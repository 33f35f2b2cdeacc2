import { rpcOf } from './catalog/index.js';
import type { Sequence, Step } from './steps.js';

/** Finds the shortest sequence with `shows` true: without later and reading calls, then one call less at a time. */
export async function shrink(
  sequence: Sequence,
  last: number,
  shows: (shorter: Sequence) => Promise<boolean>,
): Promise<Sequence> {
  let best = sequence;
  const attempt = async (shorter: Sequence): Promise<boolean> => {
    if (shorter.length === 0 || shorter === best || !(await shows(shorter))) return false;
    best = shorter;
    return true;
  };
  const simplify = async (index: number): Promise<boolean> => {
    const current = best;
    for (const simpler of simplerThan(current[index] as Step))
      if (await attempt(current.map((each, at) => (at === index ? simpler : each)))) return true;
    return false;
  };
  const end = sequence.slice(0, last + 1);
  const core = end.filter((step, index) => index === end.length - 1 || !onlyReads(step));
  if (!(core.length < sequence.length && (await attempt(core))) && end.length < sequence.length)
    await attempt(end);
  for (let index = best.length - 1; index >= 0; index--) {
    const current = best;
    if (await attempt(current.filter((_, at) => at !== index))) continue;
    while (await simplify(index));
  }
  return best;
}

/** Removes one of several concurrent calls, the last one first, and writes the calls' ids in full. */
function simplerThan(step: Step): readonly Step[] {
  const { calls } = step;
  const fewer =
    calls.length > 1
      ? calls.map((_, index) => ({ ...step, calls: calls.toSpliced(calls.length - 1 - index, 1) }))
      : [];
  const isUnusual = calls.some(({ id }) => id !== undefined);
  return isUnusual ? [...fewer, { ...step, calls: calls.map(({ id: _, ...call }) => call) }] : fewer;
}

const onlyReads = ({ calls }: Step): boolean =>
  calls.every(({ method }) => method !== 'GetContainerEvents' && !rpcOf(method).changes);

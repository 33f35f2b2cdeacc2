import { rpcOf } from './catalog/index.js';
import type { Sequence, Step } from './steps.js';

/**
 * The shortest sequence in which something still shows: first without everything after `last` and all calls that only
 * read, then without one call after the other. `shows` runs a sequence.
 */
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
  const end = sequence.slice(0, last + 1);
  const core = end.filter((step, index) => index === end.length - 1 || !onlyReads(step));
  if (!(core.length < sequence.length && (await attempt(core))) && end.length < sequence.length)
    await attempt(end);
  for (let index = best.length - 1; index >= 0; index--) {
    const current = best;
    if (await attempt(current.filter((_, at) => at !== index))) continue;
    const step = current[index] as Step;
    for (const simpler of simplerThan(step))
      if (await attempt(current.map((each, at) => (at === index ? simpler : each)))) break;
  }
  return best;
}

/** The first of several simultaneous calls, and the call with its id in full. */
function simplerThan(step: Step): readonly Step[] {
  const { calls } = step;
  const single = calls.length > 1 ? [{ ...step, calls: calls.slice(0, 1) }] : [];
  const isUnusual = calls.some(({ id }) => id !== undefined);
  return isUnusual ? [...single, { ...step, calls: calls.map(({ id: _, ...call }) => call) }] : single;
}

const onlyReads = ({ calls }: Step): boolean =>
  calls.every(({ method }) => method !== 'GetContainerEvents' && !rpcOf(method).changes);

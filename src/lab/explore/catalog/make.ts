import { formatDuration } from '../../../base/input/duration.js';
import type { Point } from '../points/points.js';
import { isWork } from '../points/state.js';
import type { Perturbation, UnnamedRule } from './perturbation.js';

export interface PerturbationTemplate {
  readonly family: string;
  /** Short, with options: `error before`, `delay 25s`. */
  readonly name: string;
  /** Completes a sentence about the call or message: `takes 25s`. */
  readonly says: string;
  readonly rule: Pick<UnnamedRule, 'then'> & Partial<UnnamedRule>;
  /** Duration in ms; default 0. */
  readonly lasts?: number;
}

export function ordinal(number: number): string {
  if (number === 1) return 'first';
  const rest = number % 100;
  const ending = rest > 10 && rest < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th');
  return `${number}${ending}`;
}

export const matchOf = ({ method, pod, container, attempt }: Point) => ({
  method,
  ...(pod !== undefined && { pod: { name: pod } }),
  ...(container !== undefined && {
    container: { name: container, ...(attempt !== undefined && { attempt }) },
  }),
});

/** The last whole millisecond before the point. */
const startOf = ({ at }: Point): number => Math.max(0, Math.floor(at) - 1);

const nameOf = (point: Point): string => {
  const { what, method, pod, container, attempt, before } = point;
  const subject = [pod, container && `${container}${attempt ? `#${attempt}` : ''}`].filter(Boolean).join('/');
  const call = what === 'message' ? `message of ${method}` : method;
  const about = `${call}${subject ? ` of ${subject}` : ''}`;
  if (what === 'message' || isWork(method)) return `the ${ordinal(before + 1)} ${about}`;
  return `the first ${about} from ${formatDuration(startOf(point))}`;
};

/**
 * Perturbs this one call or message. For a reading call it is the first one from its time on, because the number before
 * it depends on how often the kubelet repeats itself.
 */
export function once(
  point: Point,
  { family, name, says, rule, lasts = 0 }: PerturbationTemplate,
): Perturbation {
  const { what, method, before, pod = '', at } = point;
  const isCounted = what === 'message' || isWork(method);
  const from = startOf(point);
  const place = isCounted
    ? { ...(before > 0 && { after: before }) }
    : { ...(from > 0 && { during: { from: formatDuration(from) } }) };
  return {
    id: `${name} @ ${nameOf(point)}`,
    kind: `${name} ${method}`,
    family,
    text: isCounted
      ? `${nameOf(point)} (at ${formatDuration(Math.round(at))}) ${says}`
      : `${nameOf(point)} ${says}`,
    pod,
    at,
    until: at + lasts,
    rules: [
      {
        match: matchOf(point),
        ...(what === 'message' && { on: 'message' as const }),
        when: { ...place, times: 1 },
        ...rule,
      },
    ],
    steps: [],
  };
}

/** Perturbs all such calls of the pod from this point on, for `time` ms; without `time`, until the end of the run. */
export function during(
  point: Point,
  { family, name, says, rule, lasts = 0 }: PerturbationTemplate,
  time: number | undefined,
): Perturbation {
  const { what, method, pod = '', at } = point;
  const start = startOf(point);
  const span = time === undefined ? 'from then on' : `for ${formatDuration(time)}`;
  const about = `${method}${pod ? ` of ${pod}` : ''}`;
  return {
    id: `${name} ${span} @ ${about} from ${start}ms`,
    kind: `${name} ${span} ${method}`,
    family,
    text: `each ${what === 'message' ? 'message of ' : ''}${about} from ${formatDuration(start)}${time === undefined ? ' on' : `, ${span},`} ${says}`,
    pod,
    at,
    // A perturbation that lasts until the end leaves nothing behind: the runtime simply behaves like this.
    until: time === undefined ? at : start + time + lasts,
    rules: [
      {
        match: { method, ...(pod && { pod: { name: pod } }) },
        ...(what === 'message' && { on: 'message' as const }),
        when: {
          during: {
            ...(start > 0 && { from: formatDuration(start) }),
            ...(time !== undefined && { for: formatDuration(time) }),
          },
        },
        ...rule,
      },
    ],
    steps: [],
  };
}

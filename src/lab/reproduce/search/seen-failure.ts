import { formatDuration } from '../../../base/input/duration.js';
import type { FailureName } from '../../../cri/status-code.js';
import type { Perturbation } from '../../explore/catalog/perturbation.js';

/** An observed failure of a call. Times are in seconds. */
export interface SeenFailure {
  readonly method: string;
  readonly pod: string;
  readonly error: SeenError;
  /** For a pull: other images of the pod may work. */
  readonly image?: string | undefined;
  readonly first: number;
  readonly last: number;
  /** When it began to fail, if not at its first event. */
  readonly since?: number;
  readonly count: number;
  /** Number of successive calls that one event covers. */
  readonly calls: number;
}

export interface SeenError {
  readonly code: FailureName;
  readonly message: string;
}

const SEEN = 'seen';

export const isSeen = ({ family }: Pick<Perturbation, 'family'>): boolean => family === SEEN;

/** In seconds: the kubelet repeats a call after this time, or immediately if the call took longer (backOffPeriod). */
export const RETRY = 15;

export const nameOf = (pod: string): string => pod.slice(pod.indexOf('/') + 1);

export const matchOf = ({ method, pod, image }: Pick<SeenFailure, 'method' | 'pod' | 'image'>) => ({
  method,
  ...(pod !== '' && { pod: { name: nameOf(pod) } }),
  ...(image !== undefined && { request: { image: { image } } }),
});

/** From a time in ms on, limited by `more`. */
export const since = (from: number, more: object = {}) =>
  from > 0 || Object.keys(more).length > 0
    ? { during: { ...(from > 0 && { from: formatDuration(from) }), ...more } }
    : {};

export const perturbationOf = (
  pod: string,
  at: number,
  until: number,
  {
    kind,
    text,
    rules = [],
    steps = [],
  }: Pick<Perturbation, 'kind' | 'text'> & Partial<Pick<Perturbation, 'rules' | 'steps'>>,
): Perturbation => ({
  id: `${kind} ${JSON.stringify(rules[0] ?? steps)}`,
  kind,
  family: SEEN,
  text,
  pod: nameOf(pod),
  at,
  until,
  rules,
  steps,
});

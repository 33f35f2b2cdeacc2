import { formatDuration } from '../../../base/input/duration.js';
import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';
import type { Perturbation, UnnamedRule } from '../../explore/catalog/perturbation.js';

/** A call that was seen to fail, at times in seconds. */
export interface SeenFailure {
  readonly method: string;
  readonly pod: string;
  readonly error: SeenError;
  /** Of a pull: other images of the pod may do. */
  readonly image?: string | undefined;
  readonly first: number;
  readonly last: number;
  /** When it began to fail, where that is not when the first event of it came. */
  readonly since?: number;
  /** How often. */
  readonly count: number;
  /** Calls that one event says of, one after the other. */
  readonly calls: number;
}

/** A gRPC status code by its name. */
export type Code = NonNullable<Extract<FaultInput['then'], { error?: unknown }>['error']>['code'];

/** The error of a call that was seen to fail. */
export interface SeenError {
  readonly code: Code;
  readonly message: string;
}

/** The family of perturbations that were seen themselves. */
const SEEN = 'seen';

/** Whether it is a failure that was seen. */
export const isSeen = ({ family }: Pick<Perturbation, 'family'>): boolean => family === SEEN;

/** The kubelet tries a call again after this number of seconds, or immediately if the call took longer (backOffPeriod). */
export const RETRY = 15;

/** A pod without its namespace. */
export const nameOf = (pod: string): string => pod.slice(pod.indexOf('/') + 1);

/** The calls that were seen to fail. */
export const matchOf = ({ method, pod, image }: Pick<SeenFailure, 'method' | 'pod' | 'image'>) => ({
  method,
  ...(pod !== '' && { pod: { name: nameOf(pod) } }),
  ...(image !== undefined && { request: { image: { image } } }),
});

/** From a time in ms on, for as long as `more` says. */
export const since = (from: number, more: object = {}) =>
  from > 0 || Object.keys(more).length > 0
    ? { during: { ...(from > 0 && { from: formatDuration(from) }), ...more } }
    : {};

/** What was seen, from one time in ms to another. */
export const perturbationOf = (
  pod: string,
  at: number,
  until: number,
  { kind, text, rule }: { readonly kind: string; readonly text: string; readonly rule: UnnamedRule },
): Perturbation => ({
  id: `${kind} ${JSON.stringify(rule)}`,
  kind,
  family: SEEN,
  text,
  pod: nameOf(pod),
  at,
  until,
  rules: [rule],
  steps: [],
});

import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';

export type UnnamedRule = Omit<FaultInput, 'name'>;

/** One fault at one point of a run. JSON, so that files can store it. */
export interface Perturbation {
  /** Equal for equal perturbations; names the point and the action. */
  readonly id: string;
  /** The action and the kind of call, without the call's number: `error before CreateContainer`. */
  readonly kind: string;
  /** A family of kinds, such as `error` or `restart`; `--only` selects families and methods. */
  readonly family: string;
  readonly text: string;
  /** Empty if it affects the whole node. */
  readonly pod: string;
  /** Time of the point in its original run, in ms since the kubelet's start. */
  readonly at: number;
  /** When its last effect is over, in ms; later problems are consequences. */
  readonly until: number;
  readonly rules: readonly UnnamedRule[];
  /** Steps of the timeline: fault rules cannot reach the kubelet. */
  readonly steps: readonly {
    readonly at: number;
    readonly kubelet: 'kill' | 'start' | 'restart' | { readonly version: string };
  }[];
  readonly seed?: number | undefined;
}

export type Schedule = readonly Perturbation[];

export const scheduleId = (schedule: Schedule): string => schedule.map(({ id }) => id).join(' + ');

export const seedOf = (schedule: Schedule): number | undefined =>
  schedule.find(({ seed }) => seed !== undefined)?.seed;

/** In ms; 0 without perturbations. */
export const endOf = (schedule: Schedule): number => Math.max(0, ...schedule.map(({ until }) => until));

/** Orders them by time, so that equal sets are equal schedules. */
export const scheduled = (perturbations: readonly Perturbation[]): Schedule =>
  [...perturbations].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

import type { FaultInput } from '../../../runtime/faults/language/rule-schema.js';

/** A fault rule without its name, which the schedule gives it. */
export type UnnamedRule = Omit<FaultInput, 'name'>;

/** One thing that goes wrong in a run, at one point of it. JSON, so that it can be kept in a file. */
export interface Perturbation {
  /** Equal for equal perturbations; names the point and what is done there. */
  readonly id: string;
  /** What is done, and to what kind of call, without the number of the call: `error before CreateContainer`. */
  readonly kind: string;
  /** A family of kinds, such as `error` or `restart`; `--only` chooses by it, and by the method. */
  readonly family: string;
  /** In words, for people. */
  readonly text: string;
  /** The pod that it is about; empty when it is about the whole node. */
  readonly pod: string;
  /** When the point was in the run that it is from, in ms since the kubelet's start. */
  readonly at: number;
  /** When its last effect is over, in ms; what is wrong afterwards is what it left behind. */
  readonly until: number;
  /** In force from the start. */
  readonly rules: readonly UnnamedRule[];
  /** Steps of the timeline: the kubelet cannot be reached by fault rules. */
  readonly steps: readonly { readonly at: number; readonly kubelet: 'kill' | 'start' | 'restart' }[];
  /** The seed of the run, instead of the scenario's. */
  readonly seed?: number | undefined;
}

/** Perturbations of one run, ordered by time. */
export type Schedule = readonly Perturbation[];

/** The identity of a schedule. */
export const scheduleId = (schedule: Schedule): string => schedule.map(({ id }) => id).join(' + ');

/** The seed that a schedule gives to the run, if any. */
export const seedOf = (schedule: Schedule): number | undefined =>
  schedule.find(({ seed }) => seed !== undefined)?.seed;

/** When the last perturbation is over, in ms; 0 for none. */
export const endOf = (schedule: Schedule): number => Math.max(0, ...schedule.map(({ until }) => until));

/** Ordered by time, so that equal sets are equal schedules. */
export const scheduled = (perturbations: readonly Perturbation[]): Schedule =>
  [...perturbations].sort((a, b) => a.at - b.at || (a.id < b.id ? -1 : 1));

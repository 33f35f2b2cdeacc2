import type { Expected } from '../../scenario/file/expect-schema.js';
import type { Schedule } from '../catalog/perturbation.js';

/** A rule that a schedule breaks. */
export interface ScheduleFinding {
  /** `one-instance`, `same-end`, `REF-03`, `no-exception`. */
  readonly rule: string;
  /** The pod that it is about; empty for the node. */
  readonly pod: string;
  /** What was expected, and what happened instead. */
  readonly message: string;
  /** What a scenario with this schedule expects, and does not get. */
  readonly expect: Partial<Expected>;
  readonly schedule: Schedule;
  /** Length of a run that shows it, in ms, where the kubelet does not stop starting containers. */
  readonly until?: number | undefined;
}

/** Findings of one kind break the same rule in the same way: by the same kinds of perturbations. */
export const kindOf = ({ rule, schedule }: Pick<ScheduleFinding, 'rule' | 'schedule'>): string =>
  [rule, ...[...new Set(schedule.map(({ kind }) => kind))].sort()].join(' | ');

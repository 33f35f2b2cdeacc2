import type { Expected } from '../../scenario/file/expect-schema.js';
import type { Schedule } from '../catalog/perturbation.js';

export interface ScheduleFinding {
  /** For example `one-instance`, `same-end`, `REF-03`, `no-exception`. */
  readonly rule: string;
  /** Empty for the node. */
  readonly pod: string;
  /** The expectation, and what happened instead. */
  readonly message: string;
  /** Expectation of a scenario with this schedule that fails. */
  readonly expect: Partial<Expected>;
  readonly schedule: Schedule;
  /** Length of a run that shows it, in ms, if the kubelet never stops starting containers. */
  readonly until?: number | undefined;
}

/** Findings of one kind break the same rule by the same kinds of perturbations. */
export const kindOf = ({ rule, schedule }: Pick<ScheduleFinding, 'rule' | 'schedule'>): string =>
  [rule, ...[...new Set(schedule.map(({ kind }) => kind))].sort()].join(' | ');

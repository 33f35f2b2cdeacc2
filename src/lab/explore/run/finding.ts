import type { Expected } from '../../scenario/file/expect-schema.js';
import type { Schedule } from '../catalog/perturbation.js';

export interface ScheduleFinding {
  /** For example `one-instance`, `same-end`, `REF-03`, `no-exception`. */
  readonly rule: string;
  /** Empty for the node. */
  readonly pod: string;
  /** The expectation, and what happened instead. */
  readonly message: string;
  readonly expect: Partial<Expected>;
  readonly schedule: Schedule;
  /** Length of a run that shows it, in ms, if the kubelet never stops starting containers. */
  readonly until?: number | undefined;
}

export const kindOf = ({ rule, schedule }: Pick<ScheduleFinding, 'rule' | 'schedule'>): string =>
  [rule, ...[...new Set(schedule.map(({ kind }) => kind))].sort()].join(' | ');

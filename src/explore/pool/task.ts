import type { ScheduleFinding } from '../finding.js';
import type { Job, JobResult } from '../job.js';
import type { ShrunkFinding } from '../shrink/shrink.js';

/** What a thread is asked to do, and to end what it does early. */
export type Task =
  | { readonly do: 'run'; readonly job: Job }
  | { readonly do: 'shrink'; readonly finding: ScheduleFinding }
  | { readonly do: 'stop' };

/** What a thread answers to a task; `stop` has no answer. */
export interface Answer {
  readonly result?: JobResult | ShrunkFinding;
  /** What the input is to blame for. */
  readonly problems?: readonly string[];
  readonly failure?: string | undefined;
}

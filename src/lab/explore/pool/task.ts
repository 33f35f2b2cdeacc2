import type { ScheduleFinding } from '../run/finding.js';
import type { Job } from '../search/job.js';

/** What a thread is asked to do, and to end what it does early. */
export type Task =
  | { readonly do: 'run'; readonly job: Job }
  | { readonly do: 'shrink'; readonly finding: ScheduleFinding }
  | { readonly do: 'stop' };

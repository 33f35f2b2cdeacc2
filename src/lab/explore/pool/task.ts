import type { ScheduleFinding } from '../run/finding.js';
import type { Job } from '../search/job.js';

export type Task =
  | { readonly do: 'run'; readonly job: Job }
  | { readonly do: 'shrink'; readonly finding: ScheduleFinding }
  | { readonly do: 'stop' };

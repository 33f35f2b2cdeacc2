import type { JobResult } from '../search/job.js';
import type { ShrunkFinding } from '../shrink/shrink.js';
import type { Pool, PoolSubject } from './pool.js';
import type { Task } from './task.js';
import { startThreads } from './threads.js';

/** Each thread runs its own baseline first. Rejects with the error that ends a thread. */
export function createThreadPool(subject: PoolSubject, count: number): Pool {
  const threads = startThreads<Task>('dist/src/lab/explore/pool/worker.js', subject, count);
  return {
    run: (jobs, signal) => {
      const tasks = jobs.map((job) => ({ do: 'run' as const, job }));
      return threads.doAll<JobResult>(tasks, signal);
    },
    shrink: async (findings, signal, onEach) => {
      const stop = () => threads.tell({ do: 'stop' });
      signal?.addEventListener('abort', stop, { once: true });
      const tasks = findings.map((finding) => ({ do: 'shrink' as const, finding }));
      const results = await threads.doAll<ShrunkFinding>(tasks, signal, onEach);
      signal?.removeEventListener('abort', stop);
      const { scenario } = subject;
      return findings.map((finding, index) => results[index] ?? { scenario, finding });
    },
    close: threads.close,
  };
}

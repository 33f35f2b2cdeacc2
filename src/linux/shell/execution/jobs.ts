import { ownText } from '../../process/memory.js';
import type { ExitStatus, Process, ProcessGroup } from '../../process/process.js';
import type { SpawnedProcess } from '../../process/process-table.js';

/** Ended jobs that are kept for `jobs` and `wait`; the oldest are dropped. */
const MAX_ENDED = 1024;
/** Characters of a job's text that are kept. */
const MAX_TEXT = 1000;
/** Memory of a job with its processes, in bytes. */
const JOB_COST = 4096;

export interface Job {
  /** `%1` */
  readonly id: number;
  /** `$!`: the PID of the last process of its pipeline. */
  readonly pid: number;
  readonly group: ProcessGroup | undefined;
  readonly processes: readonly SpawnedProcess[];
  readonly text: string;
  /** Undefined while it runs. */
  readonly status: ExitStatus | undefined;
  readonly ended: Promise<ExitStatus>;
}

/** The shell's background jobs, oldest first; ids count from 1, and only the last ended ones are kept. */
export class Jobs {
  readonly #owner: Pick<Process, 'allocate'>;
  #jobs: (Job & { status: ExitStatus | undefined })[] = [];

  constructor(owner: Pick<Process, 'allocate'>) {
    this.#owner = owner;
  }

  add(processes: readonly SpawnedProcess[], text: string, group?: ProcessGroup): Job {
    this.#owner.allocate(JOB_COST * processes.length);
    const last = processes.at(-1) as SpawnedProcess;
    const id = (this.#jobs.at(-1)?.id ?? 0) + 1;
    const ended = Promise.all(processes.map(({ exit }) => exit)).then((all) => all.at(-1) as ExitStatus);
    const job: Job & { status: ExitStatus | undefined } = {
      id,
      pid: last.pid,
      group,
      processes,
      text: ownText(text.slice(0, MAX_TEXT)),
      status: undefined,
      ended,
    };
    this.#jobs.push(job);
    void ended.then((status) => {
      job.status = status;
    });
    this.#forget();
    return job;
  }

  list(): readonly Job[] {
    return this.#jobs;
  }

  byPid(pid: number): Job | undefined {
    return this.#jobs.find((job) => job.processes.some((process) => process.pid === pid));
  }

  /** `%1`, `%%`, `%+`, `%-`, or `%text` for the job that begins with it. */
  find(text: string): Job | undefined {
    const name = text.replace(/^%/, '');
    if (name === '' || name === '%' || name === '+') return this.#jobs.at(-1);
    if (name === '-') return this.#jobs.at(-2);
    if (/^\d+$/.test(name)) return this.#jobs.find((job) => job.id === Number(name));
    return this.#jobs.find((job) => job.text.startsWith(name));
  }

  remove(job: Job): void {
    const others = this.#jobs.filter((one) => one !== job);
    if (others.length < this.#jobs.length) this.#owner.allocate(-JOB_COST * job.processes.length);
    this.#jobs = others;
  }

  #forget(): void {
    const ended = this.#jobs.filter((job) => job.status !== undefined);
    for (const job of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.remove(job);
  }
}

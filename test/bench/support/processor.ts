import type { ChildProcess } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { median } from './result.js';

/** Processor time of all threads of a process in µs, which other load on the machine hardly changes. */
export function processorTime({ pid }: Pick<ChildProcess, 'pid'>): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    const [nanos = '0'] = readFileSync(`${tasks}/${task}/schedstat`, 'utf8').split(' ');
    return sum + Number(nanos) / 1000;
  }, 0);
}

interface Worker {
  readonly process: Pick<ChildProcess, 'pid'>;
  work(): Promise<unknown>;
}

const ROUNDS = 3;

/**
 * Processor time of a process for its work in µs, median of some rounds, and the median ratio to the first one's. They work
 * in turns, so that all meet the same machine.
 */
export async function costsOf<Name extends string>(
  workers: Readonly<Record<Name, Worker>>,
): Promise<Readonly<Record<Name, { readonly cost: number; readonly ratio: number }>>> {
  const all = Object.entries<Worker>(workers) as [Name, Worker][];
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const costs: number[] = [];
    for (const [, { process, work }] of all) {
      const before = processorTime(process);
      await work();
      costs.push(processorTime(process) - before);
    }
    rounds.push(costs);
  }
  const figures = all.map(([name], index) => {
    const cost = median(rounds.map((costs) => costs[index] ?? Number.NaN));
    const ratio = median(rounds.map((costs) => (costs[index] ?? Number.NaN) / (costs[0] ?? Number.NaN)));
    return [name, { cost, ratio }];
  });
  return Object.fromEntries(figures);
}

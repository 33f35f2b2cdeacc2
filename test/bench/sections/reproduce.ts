import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Section } from '../context.js';

/** Output of `reproduced.mjs`. */
interface Measured {
  readonly runs: number;
  /** Of real time, and of all threads. */
  readonly seconds: number;
  readonly cpu: number;
  /** Resident set in MiB. */
  readonly memory: number;
  readonly first: string;
}

/** Runs of a search. */
const RUNS = 300;

/** Runs of `mockri reproduce`, per second of processor time: other load of the machine changes that least. */
export const reproduce: Section = {
  name: 'reproduce',
  title: 'Reproduce: rows of a pod whose start hung, two minutes',
  run: async () => {
    const one = await reproduced(1);
    const two = await reproduced(2);
    return [
      { name: 'runs per second of a core, one thread', value: one.runs / one.cpu, unit: '/s' },
      { name: 'runs per second of a core, two threads', value: two.runs / two.cpu, unit: '/s' },
      { name: `${RUNS} runs, one thread`, value: one.seconds, unit: 's' },
      { name: `${RUNS} runs, two threads`, value: two.seconds, unit: 's' },
      { name: 'memory at the end', value: one.memory, unit: 'MiB' },
      {
        name: 'answers other than the true cause',
        value: [one, two].filter(({ first }) => first !== 'delay StartContainer').length,
        unit: '',
        aim: { below: 1 },
      },
    ];
  },
};

async function reproduced(workers: number): Promise<Measured> {
  const program = new URL('../reproduced.mjs', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [program, String(RUNS), String(workers)]);
  return JSON.parse(stdout) as Measured;
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Section } from '../context.js';

/** Output of `explored.mjs`. */
interface Measured {
  readonly schedules: number;
  /** Of real time, and of all threads. */
  readonly seconds: number;
  readonly cpu: number;
  /** Resident set in MiB. */
  readonly memory: { readonly early: number; readonly end: number; readonly most: number };
}

/** Target in schedules per second and core. */
const AIM = 40;

/** Schedules of `mockri explore`, per second of processor time: other load of the machine changes that least. */
export const explore: Section = {
  name: 'explore',
  title: 'Exploration: one pod with two containers over four minutes',
  run: async () => {
    const one = await explored(400, 1);
    const two = await explored(400, 2);
    const [alone, together] = [one.schedules / one.cpu, two.schedules / two.cpu];
    return [
      {
        name: 'schedules per second of a core, one thread',
        value: alone,
        unit: '/s',
        aim: { atLeast: AIM },
      },
      { name: 'schedules per second, one thread', value: one.schedules / one.seconds, unit: '/s' },
      {
        name: 'schedules per second of a core, two threads',
        value: together,
        unit: '/s',
        aim: { atLeast: AIM },
      },
      { name: '  of that with one thread', value: together / alone, unit: '', aim: { atLeast: 0.9 } },
      { name: 'schedules per second, two threads', value: two.schedules / two.seconds, unit: '/s' },
      { name: 'memory at the end', value: one.memory.end, unit: 'MiB' },
      { name: '  of that after a tenth', value: one.memory.end / one.memory.early, unit: '' },
    ];
  },
};

async function explored(schedules: number, workers: number): Promise<Measured> {
  const program = new URL('../explored.mjs', import.meta.url).pathname;
  const { stdout } = await promisify(execFile)(process.execPath, [
    program,
    String(schedules),
    String(workers),
  ]);
  return JSON.parse(stdout) as Measured;
}

import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { Section } from '../context.js';
import { dayOfPods } from '../support/day-of-pods.js';
import type { Figure } from '../support/result.js';
import { taken } from '../support/taken.js';
import { steady } from './simulation.js';

/** Processor time in µs for so many of something. */
type Cost = (count: number) => Promise<number>;

/** What one more costs when there are few and when there are many: the same, if the cost is linear. */
export const growth: Section = {
  name: 'growth',
  title: 'Processor time of one more, among few and among many',
  run: async () => {
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-growth-'));
    const file = join(directory, 'given');
    try {
      return [
        ...(await growing('a pod of simulate, ten minutes', [10, 100, 1000], async (count) => {
          const scenario = { version: 1, title: 'bench', pods: steady(count), until: '10m' };
          await writeFile(file, JSON.stringify(scenario));
          return 1e6 * (await taken(['simulate', file, '--output', 'json'])).cpu;
        })),
        ...(await growing('a running container', [1000, 10_000, 50_000], program('containers'))),
        ...(await growing('an entry of tape judge', [10_000, 100_000, 500_000], async (count) => {
          await writeFile(file, dayOfPods(count / 2, 110));
          return 1e6 * (await taken(['tape', 'judge', file])).cpu;
        })),
        ...(await growing('ten minutes of a node without pods', [10, 100, 400], program('nodes'))),
      ];
    } finally {
      await rm(directory, { recursive: true, force: true });
    }
  },
};

const program =
  (kind: string): Cost =>
  async (count) => {
    const path = new URL('../growing.mjs', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, [path, kind, String(count)]);
    return Number(stdout);
  };

async function growing(
  what: string,
  [few, some, many]: readonly [number, number, number],
  cost: Cost,
): Promise<Figure[]> {
  const [first, second, third] = [await cost(few), await cost(some), await cost(many)];
  const [early, late] = [(second - first) / (some - few), (third - second) / (many - some)];
  return [
    { name: `${what}: ${few} to ${some}`, value: early, unit: 'µs' },
    { name: `  ${some} to ${many}`, value: late, unit: 'µs' },
    { name: '  relative', value: late / early, unit: '', aim: { below: 1.2 } },
  ];
}

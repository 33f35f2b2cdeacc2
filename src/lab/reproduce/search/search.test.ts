import { expect, test } from 'vitest';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import type { NodeChoice, PlannedRun, Tried } from './evaluate.js';
import { search } from './search.js';
import type { Result } from './trials.js';

const faultOf = (kind: string): Perturbation => ({
  ...{ id: kind, kind, family: 'delay', text: kind, pod: '', at: 0, until: 0, rules: [], steps: [] },
});
const fault = faultOf('lists hang');
const seen = joinSeen([readLines('web 1/1 Running 0 12s', 'saw.txt').seen], new Map([['web', 0]]));
const newest: NodeChoice = { version: '1.37', runtime: 'strict' };
const older: NodeChoice = { version: '1.35', runtime: 'strict' };
const nothing: Tried = {
  score: 0.7,
  deviation: 1,
  unexplained: ['a row'],
  way: '',
  effect: null,
  next: null,
};

/** The search's runs in order; `tried` says how a run comes out. */
async function runsOf(
  parts: {
    readonly bases: number;
    readonly nodes: readonly NodeChoice[];
    readonly budget: number;
    readonly depth?: number;
  },
  tried: (planned: PlannedRun) => Partial<Tried>,
): Promise<PlannedRun[]> {
  const all: PlannedRun[] = [];
  await search({
    ...{ depth: 1, ...parts, seen, seed: '1' },
    run: async (runs) => {
      all.push(...runs);
      return runs.map((planned): Result => ({ ...nothing, ...tried(planned), planned }));
    },
    used: () => all.length / parts.budget,
  });
  return all;
}

/** How many runs with a fault are tried when the run without one comes to this. */
async function triedAfter(plain: Pick<Tried, 'score' | 'deviation' | 'unexplained'>): Promise<number> {
  let count = 0;
  await search({
    bases: 1,
    nodes: [{ version: '1.37', runtime: 'strict' }],
    seen,
    seed: '1',
    depth: 1,
    run: async (runs) => {
      count += runs.filter(({ schedule }) => schedule.length > 0).length;
      return runs.map((planned): Result => ({ ...plain, way: '', effect: null, next: [fault], planned }));
    },
    used: () => 0,
  });
  return count;
}

test('a run without faults that fits and leaves nothing to explain ends the search', async () => {
  expect(await triedAfter({ score: 0.99, deviation: 7, unexplained: ['a row'] })).toBe(0);
  expect(await triedAfter({ score: 0.96, deviation: null, unexplained: [] })).toBe(0);
  expect(await triedAfter({ score: 0.96, deviation: 7, unexplained: [] })).toBeGreaterThan(0);
  expect(await triedAfter({ score: 0.96, deviation: null, unexplained: ['a row'] })).toBeGreaterThan(0);
  expect(await triedAfter({ score: 0.94, deviation: null, unexplained: [] })).toBeGreaterThan(0);
});

test('a fault after which a run agrees for longer is tried with the other behavior of the containers, though it matches less', async () => {
  const next = Array.from({ length: 400 }, (_, index) => faultOf(`error ${index}`));
  const cause = next[60] as Perturbation;
  const runs = await runsOf({ bases: 2, nodes: [newest], budget: 300 }, ({ base, schedule: [only] }) => {
    if (only === undefined) return { next, way: `${base}`, score: 0.7 - 0.01 * base };
    if (only !== cause) return { way: `${base} ${only.id}`, score: 0.69 };
    return base === 0 ? { way: 'better', deviation: 39, score: 0.65 } : { way: 'true', score: 0.98 };
  });
  expect(runs.filter(({ base, schedule }) => base === 1 && schedule.includes(cause))).toHaveLength(1);
});

test('on other nodes, faults of calls that only they make come first, each on one node', async () => {
  const common = Array.from({ length: 100 }, (_, index) => faultOf(`error before ${index}`));
  const only = faultOf('no container statuses PodSandboxStatus');
  const nodes = [newest, older, { ...older, version: '1.31' }];
  const runs = await runsOf({ bases: 1, nodes, budget: 150 }, ({ version, schedule }) =>
    schedule.length > 0
      ? { way: schedule[0]?.id ?? '' }
      : {
          next: version === newest.version ? common : [...common, only],
          way: version,
          score: version === newest.version ? 0.7 : 0.6,
        },
  );
  const elsewhere = runs.filter(({ version, schedule }) => version !== newest.version && schedule.length > 0);
  expect(elsewhere[0]?.schedule).toEqual([only]);
  expect(elsewhere[1]?.schedule).not.toEqual([only]);
});

test('two faults that match by chance do not end the search for one that does', async () => {
  const next = Array.from({ length: 400 }, (_, index) => faultOf(`error ${index}`));
  const [first, second, cause] = next as [Perturbation, Perturbation, Perturbation];
  const nodes = [newest, older];
  const runs = await runsOf({ bases: 1, nodes, budget: 250, depth: 2 }, ({ version, schedule }) => {
    const [one, other] = schedule;
    const way = `${version} ${schedule.map(({ id }) => id).join()}`;
    if (one === undefined) return { next: version === newest.version ? next : [], way, score: 0.8 };
    if (other !== undefined)
      return { way, deviation: null, score: one === first && other === second ? 0.996 : 0.7 };
    if (one !== cause) return { next, way, effect: 0, score: one === first ? 0.85 : 0.7 };
    return version === newest.version ? { way, score: 0.82 } : { way, deviation: null, score: 1 };
  });
  expect(
    runs.filter(
      ({ version, schedule: [one, ...more] }) =>
        version === older.version && one === cause && more.length === 0,
    ),
  ).toHaveLength(1);
});

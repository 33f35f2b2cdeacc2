import { expect, test } from 'vitest';
import type { Perturbation, UnnamedRule } from '../../explore/catalog/perturbation.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import type { PlannedRun, Tried } from './evaluate.js';
import { createRefine } from './refine.js';
import { createTrials, plan, type Result, type Trials } from './trials.js';
import { lastingUntil, otherCalls } from './vary.js';

const node = { base: 0, version: '1.37', runtime: 'strict' } as const;

/** The second call of a method takes two minutes. */
function slow(method: string, kind = `delay 120s ${method}`): Perturbation {
  const rule: UnnamedRule = { match: { method }, when: { after: 1, times: 1 }, then: { delay: '120s' } };
  const text = `the 2nd ${method} of web (at 1s) takes 120s to return`;
  const times = { at: 1000, until: 121_000 };
  return { id: kind, kind, family: 'delay', text, pod: 'web', ...times, rules: [rule], steps: [] };
}

const rulesOf = (schedules: readonly (readonly Perturbation[])[]) =>
  schedules.map(([first]) => first?.rules[0]);

test('what lasts is made to end at the next changes that were seen', () => {
  const delays = rulesOf(lastingUntil([slow('PullImage')], [500, 31_000, 61_000, 301_000, 400_000]));
  expect(delays.map((rule) => rule?.then.delay)).toEqual(['30s', '1m0s', '5m0s']);
});

test('what happens to one call is tried with the call before, and with the one after', () => {
  const made = otherCalls([slow('PullImage')]);
  expect(rulesOf(made).map((rule) => rule?.when)).toEqual([{ times: 1 }, { times: 1, after: 2 }]);
  expect(made.map(([first]) => first?.text)).toEqual([
    'the first PullImage of web takes 120s to return',
    'the 3rd PullImage of web takes 120s to return',
  ]);
  expect(otherCalls(made[0] ?? []).map(([first]) => first?.rules[0]?.when)).toEqual([{ times: 1, after: 1 }]);
  const byTime = { ...slow('PullImage'), rules: [{ match: {}, when: { during: { for: '2s' } }, then: {} }] };
  expect(otherCalls([byTime])).toEqual([]);
});

/** Trials whose runs are as good as `scoreOf` says. */
function trialsOf(scoreOf: (planned: PlannedRun) => number): Trials {
  const tried = {
    deviation: null,
    unexplained: [],
    way: '',
    effect: null,
    next: null,
  } satisfies Partial<Tried>;
  return createTrials({
    run: async (runs) => runs.map((planned): Result => ({ ...tried, score: scoreOf(planned), planned })),
    used: () => 0,
  });
}

const seen = joinSeen(
  [readLines('web 0/1 ContainerCreating 0 1s\nweb 1/1 Running 0 301s\n', 'saw.txt').seen],
  new Map([['web', 0]]),
);
const methodsOf = (runs: readonly PlannedRun[]) =>
  new Set(runs.map(({ schedule }) => schedule.map(({ rules: [rule] }) => rule?.match?.method).join()));

test('pairs with the best fault leave turns to other single faults', async () => {
  const trials = trialsOf(({ schedule }) => (schedule[0]?.kind.includes('PullImage') === true ? 0.9 : 0.8));
  const singles = ['PullImage', 'StartContainer'].map((method) => plan(node, [slow(method)]));
  const more = Array.from({ length: 6 }, (_, index) => slow('Status', `delay Status ${'abcdef'[index]}`));
  const pairs = more.map((each) => plan(node, [slow('PullImage'), each]));
  await trials.tryAll([...singles, ...pairs]);
  const next = createRefine({ trials, seen, deviation: 1 }, 6);
  expect([methodsOf(next()), methodsOf(next())]).toEqual([
    new Set(['PullImage']),
    new Set(['StartContainer']),
  ]);
});

test('a cause that became better is refined again before the others', async () => {
  const isLong = ({ schedule }: PlannedRun) => schedule[0]?.rules[0]?.then.delay === '5m0s';
  const isPull = ({ schedule }: PlannedRun) => schedule[0]?.kind === 'delay 120s PullImage';
  const trials = trialsOf((planned) => 0.8 + (isPull(planned) ? 0.01 : 0) + (isLong(planned) ? 0.1 : 0));
  await trials.tryAll(['PullImage', 'StartContainer'].map((method) => plan(node, [slow(method)])));
  const next = createRefine({ trials, seen, deviation: 1 }, 6);
  await trials.tryAll(next());
  expect(trials.ranked()[0]?.score).toBeCloseTo(0.91);
  expect(methodsOf(next())).toEqual(new Set(['PullImage']));
  // What brought nothing more waits for its turn.
  expect(methodsOf(next())).toEqual(new Set(['StartContainer']));
});

import { expect, test } from 'vitest';
import type { Perturbation } from '../../explore/catalog/perturbation.js';
import { joinSeen } from '../join-seen.js';
import { readLines } from '../read/read-lines.js';
import type { PlannedRun, Tried } from './evaluate.js';
import { evidenceOf } from './evidence.js';
import { byHints } from './hints.js';
import { nextPairs } from './pairs.js';
import { createTrials, needsNoFaultBeside, plan, worth } from './trials.js';

const node = { base: 0, version: '1.37', runtime: 'strict' } as const;
const fault = (kind: string, id = kind): Perturbation => ({
  ...{ id, kind, family: 'error', text: kind, pod: '', at: 0, until: 0, rules: [], steps: [] },
});
const seenIn = (text: string) => joinSeen([readLines(text, 'saw.txt').seen], new Map([['web', 0]]));
const worthOf = (score: number, ...schedule: Perturbation[]) =>
  worth({ score, planned: plan(node, schedule) });

test('two faults that happen to come together must explain more than one', () => {
  expect(worthOf(0.97, fault('a'))).toBeGreaterThan(worthOf(1, fault('a'), fault('b')));
  expect(worthOf(0.9, fault('a'))).toBeLessThan(worthOf(1, fault('a'), fault('b')));
});

test('a failure that was seen is no coincidence', () => {
  const [seen] = evidenceOf(seenIn('web 0/1 ErrImagePull 0 12s'));
  expect(worthOf(0.97, seen as Perturbation)).toBeLessThan(worthOf(1, seen as Perturbation, fault('b')));
});

test('a run that was tried is tried again when it is to say what can go wrong next, and not a third time', async () => {
  const asked: PlannedRun[] = [];
  const trials = createTrials({
    run: async (runs) => {
      asked.push(...runs);
      return runs.map((planned) => ({
        ...({ score: 0.5 } as Tried),
        planned,
        next: planned.extend ? [] : null,
      }));
    },
    used: () => 0,
  });
  const alone = plan(node, [fault('a')]);
  const extended = plan(node, [fault('a')], true);
  for (const each of [alone, alone, extended, extended, alone]) await trials.tryAll([each, each]);
  expect(asked).toEqual([alone, extended]);
  expect(trials.all().map(({ next }) => next)).toEqual([[]]);
});

/** Trials whose runs come out as given by the kind of their fault; 'none' is the run without one. */
async function triedAs(outcomes: Readonly<Record<string, Partial<Tried>>>, ...faults: Perturbation[]) {
  const trials = createTrials({
    run: async (runs) =>
      runs.map((planned) => {
        const kind = planned.schedule[0]?.kind ?? 'none';
        return {
          ...({ way: kind, deviation: 1, next: null } as unknown as Tried),
          ...outcomes[kind],
          planned,
        };
      }),
    used: () => 0,
  });
  await trials.tryAll([plan(node, []), ...faults.map((each) => plan(node, [each]))]);
  return trials;
}

test('a fault that changes nothing is no good cause', async () => {
  const outcomes = { none: { score: 0.7 }, idle: { score: 0.7, way: 'none' }, busy: { score: 0.6 } };
  const trials = await triedAs(outcomes, fault('idle'), fault('busy'));
  const kinds = trials.bestCauses(9).map(({ planned }) => planned.schedule[0]?.kind);
  expect(kinds).toEqual([undefined, 'busy']);
  expect(trials.longestAgreeing(9).map(({ planned }) => planned.schedule[0]?.kind)).toEqual(kinds);
});

test('a fault that makes the match much worse is poor for moments, not at another time', async () => {
  const outcomes = { none: { score: 0.7 }, hang: { score: 0.4 }, delay: { score: 0.65 } };
  const trials = await triedAs(outcomes, fault('hang'), fault('delay'));
  const isPoor = (kind: string, at: number) => trials.isPoor(plan(node, [{ ...fault(kind), at }]));
  expect([isPoor('hang', 1500), isPoor('hang', 3000), isPoor('delay', 1500)]).toEqual([true, false, false]);
});

test('a run that agrees to the end is not extended by a second fault', async () => {
  const pairsAfter = async (deviation: number | null) => {
    const trials = await triedAs({ none: { score: 0.7 }, a: { score: 0.9, deviation } }, fault('a'));
    return nextPairs({ trials, seen: seenIn('web 1/1 Running 0 12s'), grounds: [], evidence: [], depth: 2 });
  };
  expect(await pairsAfter(null)).toEqual([]);
  expect(await pairsAfter(39)).toHaveLength(1);
});

test('one of each kind comes first, of these what clusters see more often; what was seen makes a kind come earlier', () => {
  const kinds = ['event twice GetContainerEvents', 'delay 3s StartContainer', 'kubelet restarted'];
  const all = [1, 2, 3].flatMap((turn) => kinds.map((kind) => fault(kind, `${kind} ${turn}`)));
  const order = (text: string) => byHints(all, seenIn(text)).map(({ id }) => id.replace(/^(\w+).* /, '$1 '));
  expect(order('web 1/1 Running 0 12s').slice(0, 4)).toEqual([
    'kubelet 1',
    'delay 1',
    'event 1',
    'kubelet 2',
  ]);
  expect(order('web 0/1 RunContainerError 0 12s').slice(0, 4)).toEqual([
    'delay 1',
    'delay 2',
    'kubelet 1',
    'delay 3',
  ]);
});

test.each([
  ['fits as well as what fits', [0.96, []], [0.98, []], true],
  ['leaves as much unexplained as what fits', [0.94, ['a']], [0.96, ['a']], true],
  ['leaves more unexplained', [0.94, ['a']], [0.96, []], false],
  ['leaves more unexplained, but fits', [0.96, ['a']], [0.98, []], true],
  ['fits less than chance makes it', [0.94, []], [0.98, []], false],
  ['explains as much of what nothing fits', [0.85, ['a']], [0.92, ['a', 'b']], true],
  ['explains less of what nothing fits', [0.85, ['a', 'b']], [0.92, ['a']], false],
] as const)(
  'a run without faults that %s: %j compared with %j',
  (_, [score, unexplained], [best, left], isEnough) => {
    expect(needsNoFaultBeside({ score, unexplained }, { score: best, unexplained: left })).toBe(isEnough);
  },
);

test('one look at a pod that is created for long makes slow calls likely', () => {
  const rows = 'web 0/1 ContainerCreating 0 2m5s\nweb 1/1 Running 0 6m';
  const seen = joinSeen([readLines(rows, 'saw.txt').seen], new Map([['web', 0]]));
  const [first] = byHints([fault('kubelet restarted'), fault('delay 125s PullImage')], seen);
  expect(first?.kind).toBe('delay 125s PullImage');
});

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invariantOf } from '../../../src/suite/conformance/check.js';
import { allChecks, describeFailure } from '../../../src/suite/conformance/index.js';
import { countOf, isThorough, ofAll, sampleOf } from '../../support/thorough.js';
import type { Decoded } from '../decoded.js';
import { mutants } from './index.js';
import { judge, missedBy } from './judge.js';
import { elapsed, type Mutant, refuse, sleep } from './mutant.js';

const slow = test.runIf(isThorough);

/** Nothing waits without success in a runtime without defects: a busy machine must not fail it. */
const LONG = { patience: 120_000, timeout: 300_000 };

/** The mutants to test. */
const chosen = sampleOf(mutants, 4);

/** Number of mutants tested in parallel: most of the time each waits for a process or an event. */
const AT_ONCE = 12;

/** Tests the selected mutants, one promise each. */
function judgeAll(): ReadonlyMap<Mutant, ReturnType<typeof judge>> {
  const free = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  return new Map(
    chosen.map((mutant, index) => {
      const results = (free[index % AT_ONCE] as Promise<void>).then(() => judge(mutant));
      free[index % AT_ONCE] = results.then(
        () => {},
        () => {},
      );
      return [mutant, results];
    }),
  );
}

const lines: string[] = [];

describe(ofAll(chosen.length, mutants.length, 'mutants'), () => {
  let judged: ReturnType<typeof judgeAll>;
  beforeAll(() => {
    judged = judgeAll();
  });

  test.each(chosen.map((mutant) => [mutant.breaks.join(', '), mutant.name, mutant] as const))(
    '%s catches: %s',
    async (_, name, mutant) => {
      const results = (await judged.get(mutant)) ?? [];
      const missed = results.filter(({ outcome }) => outcome !== 'failed').map(({ id }) => id);
      const seen = results[0]?.failure?.received.split('\n')[0]?.slice(0, 60);
      lines.push(`${missed.length === 0 ? '✓' : '✗'} ${mutant.breaks[0]?.padEnd(28)} ${name} (${seen})`);
      expect(missed, 'checks that passed although the runtime breaks their rule').toEqual([]);
      expect(results.map(({ id }) => id).sort()).toEqual([...mutant.breaks].sort());
      expect(results.map(({ failure }) => failure?.expected)).not.toContain('no defect in the check itself');
    },
  );

  afterAll(() => {
    const caught = lines.filter((line) => line.startsWith('✓')).length;
    if (isThorough)
      process.stdout.write(`${lines.join('\n')}\nmutants caught: ${caught} of ${lines.length}\n`);
  });
});

/** Those whose bug shows by chance in a real runtime, and some others. */
const RUNS = 10;
const repeated = mutants.filter(({ name }) => /one in twenty|12039|9014|same time/.test(name));
const often = repeated.slice(0, countOf(repeated.length, 3));

slow.each(often.map((mutant) => [mutant.name, mutant] as const))(
  `found in ${RUNS} of ${RUNS} runs: %s`,
  async (_, mutant) => {
    const seeds = Array.from({ length: RUNS }, (_, index) => index + 1);
    const missed = await Promise.all(seeds.map((seed) => missedBy(mutant, seed)));
    expect(missed).toEqual(seeds.map(() => []));
  },
);

const checks = sampleOf(allChecks, 12);

test(`a runtime without defects passes ${ofAll(checks.length, allChecks.length, 'checks')}`, async () => {
  const breaks = checks.map(({ id }) => id);
  const failed = (await judge({ breaks, mutate: () => ({}) }, LONG)).filter(
    ({ outcome }) => outcome === 'failed',
  );
  expect(failed.map(describeFailure)).toEqual([]);
});

slow('a canceled creation that continues for three seconds is no failure', async () => {
  /** The first container of the check, and when its name is free again. */
  let late: { name: string; until: number } | undefined;
  const mutate = (real: Decoded): Partial<Decoded> => ({
    createContainer: async (request, call) => {
      const name = request.config?.metadata?.name ?? '';
      if (name === late?.name && elapsed() < late.until) refuse(6);
      if (name.startsWith('ctr-')) late ??= { name, until: elapsed() + 3000 };
      await sleep(100);
      return call.signal.aborted ? refuse(1) : real.createContainer(request, call);
    },
  });
  const results = await judge({ breaks: ['INV-17.CreateContainer'], mutate }, LONG);
  expect(results.map(({ outcome }) => outcome)).toEqual(['passed']);
});

test('every check and every invariant has a mutant', () => {
  const broken = new Set(mutants.flatMap(({ breaks }) => breaks));
  expect(allChecks.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
  expect(new Set([...broken].map(invariantOf)).size).toBe(
    new Set(allChecks.map(({ id }) => invariantOf(id))).size,
  );
});

test('each bug that a check claims to find has a mutant', () => {
  const said = allChecks.flatMap(({ id, upstream = [] }) => upstream.map((number) => `${number} ${id}`));
  const numbers = new Set(said.map((text) => text.split(' ')[0]));
  const behaving = mutants.flatMap(({ upstream, breaks }) =>
    upstream === undefined ? [] : breaks.map((id) => ({ upstream, id })),
  );
  expect(behaving.filter(({ upstream, id }) => !said.includes(`${upstream} ${id}`))).toEqual([]);
  expect([...numbers].filter((number) => !behaving.some(({ upstream }) => upstream === number))).toEqual([]);
});

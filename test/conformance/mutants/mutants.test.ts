import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { invariantOf } from '../../../src/conformance/check.js';
import { allChecks, describeFailure, runConformance, saveReport } from '../../../src/conformance/index.js';
import type { CriService } from '../../../src/cri/service.js';
import { isThorough, ofAll, sampleOf } from '../../support/thorough.js';
import { decode } from '../decoded.js';
import { startTestEndpoint } from '../test-endpoint.js';
import { mutants } from './index.js';
import type { Mutant } from './mutant.js';

/** Short limits for mutants, so that a check that waits without success ends soon. */
const SHORT = { patience: 4000, timeout: 12_000 };
/** Nothing waits without success in a runtime without defects: a busy machine must not fail it. */
const LONG = { patience: 120_000, timeout: 300_000 };

/** Runs the checks on a mutant; resolves with each outcome and message. */
async function judge({ breaks, mutate }: Pick<Mutant, 'breaks' | 'mutate'>, limits = SHORT) {
  const cleanUps: (() => unknown)[] = [];
  let restarted = false;
  const wrap = (service: CriService): CriService => {
    const real = decode(service);
    const context = {
      isRestarted: () => restarted,
      atEnd: (cleanUp: () => unknown) => cleanUps.push(cleanUp),
    };
    return { ...real, ...mutate(real, context) };
  };
  const target = await startTestEndpoint({ wrap });
  try {
    const checks = allChecks.filter(({ id }) => breaks.includes(id));
    const restart = async () => {
      await target.restart();
      restarted = true;
    };
    return saveReport(await runConformance({ ...target, ...limits, parallel: 1, restart, checks })).results;
  } finally {
    await target.close();
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

/** The mutants to test. */
const chosen = sampleOf(mutants, 30);

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
    },
  );

  afterAll(() => {
    const caught = lines.filter((line) => line.startsWith('✓')).length;
    if (isThorough)
      process.stdout.write(`${lines.join('\n')}\nmutants caught: ${caught} of ${lines.length}\n`);
  });
});

const checks = sampleOf(allChecks, 40);

test(`a runtime without defects passes ${ofAll(checks.length, allChecks.length, 'checks')}`, async () => {
  const breaks = checks.map(({ id }) => id);
  const failed = (await judge({ breaks, mutate: () => ({}) }, LONG)).filter(
    ({ outcome }) => outcome === 'failed',
  );
  expect(failed.map(describeFailure)).toEqual([]);
});

test('every check and every invariant has a mutant', () => {
  const broken = new Set(mutants.flatMap(({ breaks }) => breaks));
  expect(allChecks.map(({ id }) => id).filter((id) => !broken.has(id))).toEqual([]);
  expect(new Set([...broken].map(invariantOf)).size).toBe(
    new Set(allChecks.map(({ id }) => invariantOf(id))).size,
  );
});

test('a mutant behaves like each bug that a check says it finds', () => {
  const said = allChecks.flatMap(({ id, upstream = [] }) => upstream.map((number) => `${number} ${id}`));
  const numbers = new Set(said.map((text) => text.split(' ')[0]));
  const behaving = mutants.flatMap(({ upstream, breaks }) =>
    upstream === undefined ? [] : breaks.map((id) => ({ upstream, id })),
  );
  expect(behaving.filter(({ upstream, id }) => !said.includes(`${upstream} ${id}`))).toEqual([]);
  expect([...numbers].filter((number) => !behaving.some(({ upstream }) => upstream === number))).toEqual([]);
});

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { CriService } from '../../../src/cri/service.js';
import { allChecks, runConformance } from '../../../src/suite/conformance/index.js';
import type { Finding } from '../../../src/tape/judge/finding.js';
import { judgeTape } from '../../../src/tape/judge/tape-judge.js';
import { openTape } from '../../../src/tape/read.js';
import { useTemporaryDirectory } from '../../support/temporary.js';
import { ofAll, sampleOf } from '../../support/thorough.js';
import { decode } from '../decoded.js';
import { startTestEndpoint } from '../test-endpoint.js';
import { mutants } from './index.js';
import type { Mutant } from './mutant.js';
import { notVisible } from './not-visible.js';
import { livePods } from './pod-life.js';

/** Mutants that are recorded at the same time: most of the time each waits. */
const AT_ONCE = 8;
const chosen = sampleOf(mutants, 1);
const nothing: Mutant['mutate'] = () => ({});

/** The findings on the tape of the checks that look for a mutant, and of the life of a few pods. */
async function findingsOf(
  { breaks, mutate }: Pick<Mutant, 'breaks' | 'mutate'>,
  place: string,
): Promise<readonly Finding[]> {
  const cleanUps: (() => unknown)[] = [];
  const record = join(place, `${++recorded}.tape.gz`);
  let isRestarted = false;
  const wrap = (service: CriService): CriService => {
    const real = decode(service);
    const context = {
      isRestarted: () => isRestarted,
      atEnd: (cleanUp: () => unknown) => cleanUps.push(cleanUp),
    };
    return { ...real, ...mutate(real, context) };
  };
  const endpoint = await startTestEndpoint({ wrap, record });
  const restart = async () => {
    await endpoint.restart();
    isRestarted = true;
  };
  try {
    const checks = allChecks.filter(({ id }) => breaks.includes(id));
    await runConformance({ ...endpoint, patience: 4000, timeout: 12_000, parallel: 1, restart, checks });
    await livePods(endpoint.endpoint);
  } finally {
    await endpoint.close();
    for (const cleanUp of cleanUps) await cleanUp();
  }
  return (await judgeTape(await openTape(record))).findings;
}
let recorded = 0;

interface Verdict {
  readonly runtime: readonly string[];
  /** What the client is blamed for beyond what the same checks do wrong on purpose. */
  readonly client: readonly string[];
  /** What the runtime is blamed for, in words. */
  readonly messages: readonly string[];
}

/** Judges all of them, a few at a time. */
function judgeAll(place: string): ReadonlyMap<Mutant, Promise<Verdict>> {
  const clean = new Map<string, Promise<readonly Finding[]>>();
  const judge = async (mutant: Mutant): Promise<Verdict> => {
    const key = mutant.breaks.join();
    const same = clean.get(key) ?? findingsOf({ ...mutant, mutate: nothing }, place);
    clean.set(key, same);
    const findings = await findingsOf(mutant, place);
    const onPurpose = new Set((await same).map(({ rule }) => rule));
    const rules = (side: string) => [
      ...new Set(findings.filter((one) => one.side === side).map(({ rule }) => rule)),
    ];
    const client = rules('client').filter((rule) => !onPurpose.has(rule));
    const blamed = findings.filter(({ side }) => side === 'runtime');
    const messages = blamed.map(
      ({ rule, message, lines }) => `${rule}: ${message} (lines ${lines.join(', ')})`,
    );
    return { runtime: rules('runtime'), client, messages };
  };
  const free = Array.from({ length: AT_ONCE }, () => Promise.resolve());
  return new Map(
    chosen.map((mutant, index) => {
      const verdict = (free[index % AT_ONCE] as Promise<void>).then(() => judge(mutant));
      free[index % AT_ONCE] = verdict.then(
        () => {},
        () => {},
      );
      return [mutant, verdict];
    }),
  );
}

const lines: string[] = [];
const blamed = { right: 0, all: 0 };

describe(ofAll(chosen.length, mutants.length, 'mutants'), () => {
  let judged: ReturnType<typeof judgeAll>;
  const place = useTemporaryDirectory();
  beforeAll(() => {
    judged = judgeAll(place);
  });

  test.each(chosen.map((mutant) => [mutant.breaks.join(', '), mutant.name, mutant] as const))(
    '%s: %s',
    async (_, name, mutant) => {
      const { runtime = [], client = [], messages = [] } = (await judged.get(mutant)) ?? {};
      const why = notVisible[name];
      const isFound = runtime.length > 0;
      if (isFound) blamed.all++;
      if (isFound && client.length === 0) blamed.right++;
      const seen = isFound ? runtime.join(' ') : (why ?? 'MISSED');
      lines.push(`${isFound ? '✓' : '–'} ${mutant.breaks[0]?.padEnd(28)} ${name} (${seen})`);
      if (why === undefined) expect(runtime, 'rules that the tape shows to be broken').not.toEqual([]);
      else expect(messages, `this is not visible: ${why}`).toEqual([]);
    },
  );

  test('in 95 % of them the client is not blamed', () => {
    expect(blamed.right / blamed.all).toBeGreaterThanOrEqual(0.95);
  });

  afterAll(() => {
    const found = lines.filter((line) => line.startsWith('✓')).length;
    const sum = `found: ${found} of ${lines.length}; the right side is blamed in ${blamed.right} of ${blamed.all}`;
    process.stdout.write(`${[...lines, sum].join('\n')}\n`);
  });
});

test('every reason belongs to a mutant', () => {
  const names = new Set(mutants.map(({ name }) => name));
  expect(Object.keys(notVisible).filter((name) => !names.has(name))).toEqual([]);
});

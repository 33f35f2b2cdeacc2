import { join } from 'node:path';
import { expect, test } from 'vitest';
import { allChecks, runConformance } from '../../../src/conformance/index.js';
import type { CriService } from '../../../src/cri/service.js';
import { judgeTape } from '../../../src/tape/judge/judge.js';
import { openTape } from '../../../src/tape/read.js';
import { useTemporaryDirectories } from '../../support/temporary.js';
import { sampleOf } from '../../support/thorough.js';
import { decode } from '../decoded.js';
import { startTestEndpoint } from '../test-endpoint.js';
import { mutants } from './index.js';
import type { Mutant } from './mutant.js';

const directory = useTemporaryDirectories();

/** Invariants that calls and events show by themselves, when the suite makes the calls for them. */
const VISIBLE =
  /^INV-(01|03\.(not-ready|start)|05|06|07|12|18|21|22|23\.metadata|25|27\.not-exited|31|50\.(constant|version)|51)/;

/** Mutants of these invariants that only something else than the conversation shows, such as a file. */
const chosen = sampleOf(
  mutants.filter(({ breaks }) => breaks.every((id) => VISIBLE.test(id))),
  8,
);

/** What the runtime is blamed for, on the tape of the checks that look for a mutant. */
async function findingsOf({ breaks, mutate }: Pick<Mutant, 'breaks' | 'mutate'>): Promise<string[]> {
  const cleanUps: (() => unknown)[] = [];
  const record = join(directory(), 'run.tape.gz');
  const wrap = (service: CriService): CriService => {
    const real = decode(service);
    const world = { isRestarted: () => false, atEnd: (cleanUp: () => unknown) => cleanUps.push(cleanUp) };
    return { ...real, ...mutate(real, world) };
  };
  const endpoint = await startTestEndpoint({ wrap, record });
  try {
    const checks = allChecks.filter(({ id }) => breaks.includes(id));
    await runConformance({ ...endpoint, patience: 4000, timeout: 12_000, checks });
  } finally {
    await endpoint.close();
    for (const cleanUp of cleanUps) await cleanUp();
  }
  const { findings } = await judgeTape(await openTape(record));
  return findings.filter(({ side }) => side === 'runtime').map(({ rule, message }) => `${rule} ${message}`);
}

test.each(chosen.map((mutant) => [mutant.name, mutant] as const))(
  'the tape shows that the runtime is wrong: %s',
  { timeout: 60_000 },
  async (_, mutant) => {
    expect(await findingsOf(mutant)).not.toEqual([]);
  },
);

test('the tape of the whole suite has no finding about a runtime that breaks nothing', {
  timeout: 120_000,
}, async () => {
  const breaks = allChecks.map(({ id }) => id);
  expect(await findingsOf({ breaks, mutate: () => ({}) })).toEqual([]);
});

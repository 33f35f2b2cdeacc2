import type { CriService } from '../../../src/cri/service.js';
import {
  type ConformanceOptions,
  runConformance,
  type SavedReport,
  saveReport,
} from '../../../src/suite/conformance/index.js';
import { allChecks } from '../../../src/suite/conformance/specs/index.js';
import { decode } from '../decoded.js';
import { startTestEndpoint } from '../test-endpoint.js';
import type { Mutant } from './mutant.js';

/** Short limits for mutants, so that a check that waits without success ends soon. */
const SHORT = { patience: 4000, timeout: 12_000 };

/** Runs the checks that a mutant must fail; resolves with each outcome and message. */
export async function judge(
  { breaks, mutate }: Pick<Mutant, 'breaks' | 'mutate'>,
  options: Pick<ConformanceOptions, 'patience' | 'timeout' | 'seed'> = {},
): Promise<SavedReport['results']> {
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
    const { endpoint, control } = target;
    const report = await runConformance({
      ...{ endpoint, control, restart, checks, parallel: 1 },
      ...SHORT,
      ...options,
    });
    return saveReport(report).results;
  } finally {
    await target.close();
    for (const cleanUp of cleanUps) await cleanUp();
  }
}

/** The checks that do not find a mutant, although it breaks their rule. */
export async function missedBy(mutant: Mutant, seed: number): Promise<readonly string[]> {
  const results = await judge(mutant, { seed });
  return results.filter(({ outcome }) => outcome !== 'failed').map(({ id, outcome }) => `${id} ${outcome}`);
}

import { expect, test } from 'vitest';
import { describeFailure, runConformance, saveReport } from '../../src/conformance/index.js';
import { allChecks } from '../../src/conformance/specs/index.js';
import { deviationFor } from '../../src/profiles/deviations/deviation.js';
import { profileFor, profiles } from '../../src/profiles/deviations/index.js';
import { type RuntimeProfileName, runtimeProfileNames } from '../../src/profiles/index.js';
import { startMockri } from '../../src/testing/index.js';

/** So that calls at the same time meet. */
const TIMES = { removeContainer: ['20ms'], startContainer: ['5ms'] };

/** Known of the runtime, but not in its profile (docs/profiles.md): CRI-O's events are off, and these are details of it. */
const NOT_SIMULATED: Partial<Record<RuntimeProfileName, readonly string[]>> = {
  'cri-o-1.34': [
    'INV-14.ambiguous',
    'INV-22.container',
    'INV-22.long',
    'INV-25.order',
    'INV-29.sandbox',
    'INV-34.removal-order',
    'INV-37.remove',
  ],
};

/** The suite chooses the known deviations by what Version says. */
test.each(runtimeProfileNames.filter((name) => name !== 'strict'))(
  '%s deviates where the conformance suite expects it to',
  { timeout: 300_000 },
  async (profile) => {
    await using mockri = await startMockri({ profile, latency: TIMES, referee: 'off' });
    const { runtimeName, runtimeVersion } = await mockri.client.version({});
    const known = profiles[profileFor(runtimeName)];
    const checks = allChecks.flatMap(({ id }) => {
      const deviation = deviationFor(known, id, runtimeVersion);
      return deviation === undefined ? [] : [{ id, deviation }];
    });
    const focus = new RegExp(checks.map(({ id }) => id.replaceAll('.', '\\.')).join('|'));
    const report = saveReport(await runConformance({ endpoint: mockri.endpoint, focus }));
    const of = (outcome: string) => report.results.filter((result) => result.outcome === outcome);
    expect(of('failed').map(describeFailure)).toEqual([]);
    const deviates = of('deviates').map(({ id }) => id);
    const left = NOT_SIMULATED[profile] ?? [];
    const always = checks
      .filter(({ id, deviation }) => !deviation.sometimes && !left.includes(id))
      .map(({ id }) => id);
    expect(deviates).toEqual(expect.arrayContaining(always));
  },
);

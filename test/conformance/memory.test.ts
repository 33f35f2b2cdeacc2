import { expect, test } from 'vitest';
import { describeFailure, runConformance, saveReport } from '../../src/conformance/index.js';
import type { TransitionRules } from '../../src/engine/lifecycle/transitions.js';
import { startTestEndpoint } from './test-endpoint.js';

/** Failures as text, so that the test output shows broken rules. */
async function judge(transitions: TransitionRules) {
  const target = await startTestEndpoint({ transitions });
  try {
    const report = saveReport(await runConformance(target));
    const failed = report.results.filter(({ outcome }) => outcome === 'failed');
    const skipped = report.results.filter(({ outcome }) => outcome === 'skipped');
    return { failures: failed.map(describeFailure), skipped: skipped.map(({ id }) => id), left: report.left };
  } finally {
    await target.close();
  }
}

test('the memory backend keeps every rule', async () => {
  expect(await judge('cri')).toEqual({ failures: [], skipped: [], left: [] });
});

test('with the strict state machine it keeps all applicable rules', async () => {
  const { failures, skipped, left } = await judge('strict');
  expect({ failures, left }).toEqual({ failures: [], left: [] });
  expect(skipped).toEqual([
    'INV-06.removes-containers',
    'INV-02.remove-created',
    'INV-02.remove-running',
    'INV-16.linearizable',
    'INV-34.removal-order',
    'INV-35.slow',
  ]);
});

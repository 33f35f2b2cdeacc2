import { expect, test } from 'vitest';
import { runScenarios } from '../../src/cli/commands/simulate/run-scenarios.js';
import { criteriaReport, suiteFiles } from '../../src/cli/commands/suite.js';
import { simulationParts } from '../../src/lab/scenario/simulation/simulation-parts.js';

test.each([
  ['evented-pleg', ['init-container.yaml', 'relists-less.yaml', 'runtime-restarts.yaml']],
  ['stream-lists', []],
  ['runtime-config', []],
  ['cri-metrics', ['containerd-2.3.yaml', 'containerd-2.4.yaml', 'cri-o-1.36.yaml']],
])('kubelet 1.37 meets the criteria of %s except for %j', async (suite, unmet) => {
  const out: string[] = [];
  const lines = { out: (line: string) => void out.push(line), err: () => {} };
  const parts = { ...simulationParts, report: criteriaReport(suite) };
  const code = await runScenarios(suiteFiles(suite), { json: true, kubeletVersion: ['1.37'] }, parts, lines);
  const { criteria } = JSON.parse(out.join(''));
  const failed = criteria.filter(({ met }: { met: boolean }) => !met);
  expect(failed.map(({ scenario }: { scenario: string }) => scenario)).toEqual(unmet);
  expect(code).toBe(unmet.length === 0 ? 0 : 1);
});

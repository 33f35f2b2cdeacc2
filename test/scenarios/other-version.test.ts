import { expect, test } from 'vitest';
import { runScenarios } from '../../src/cli/commands/simulate/run-scenarios.js';
import { scenarioFiles } from '../../src/lab/scenario/file/scenario-files.js';
import { simulationParts } from '../../src/lab/scenario/simulation/simulation-parts.js';

test('a bundled scenario runs with a version that its golden file lacks', async () => {
  const problems: string[] = [];
  const lines = { out: () => {}, err: (line: string) => void problems.push(line) };
  const files = scenarioFiles(['crash-loop-back-off']);
  expect(await runScenarios(files, { kubeletVersion: ['1.32'] }, simulationParts, lines)).toBe(0);
  expect(problems).toEqual([]);
});

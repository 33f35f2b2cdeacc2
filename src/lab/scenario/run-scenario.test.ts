import { expect, test } from 'vitest';
import { type RunScenarioOptions, runScenario } from './run-scenario.js';

test.each([
  [{ kubletVersion: '1.34' }, 'runScenario: kubletVersion: unknown key; did you mean "kubeletVersion"?'],
  [{ kubeletVersion: '2.0' }, 'runScenario: kubeletVersion: expected 1.28, '],
  [{ seed: {} }, 'runScenario: seed: expected a '],
  [{ onRow: 5 }, 'runScenario: onRow: expected a function'],
])('refuses %j', async (options, problem) => {
  await expect(runScenario('crash-loop-back-off', options as RunScenarioOptions)).rejects.toThrow(problem);
});

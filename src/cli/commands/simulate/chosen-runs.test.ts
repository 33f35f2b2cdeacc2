import { expect, test } from 'vitest';
import { loadScenario } from '../../../lab/scenario/file/load.js';
import { libraryFiles } from '../../../lab/scenario/file/scenario-files.js';
import { chosenRuns } from './chosen-runs.js';

test('a kubelet program is not run as another design of the evented PLEG', async () => {
  const file = libraryFiles().find((name) => name.endsWith('evented-fall-back.yaml')) ?? '';
  const scenario = await loadScenario(file);
  const names = async (flags: object) =>
    (await chosenRuns(scenario, { kubeletVersion: ['1.37'], ...flags })).map(({ name }) => name);
  expect(await names({})).toEqual(['kubelet 1.37', 'kubelet 1.37 with the draft for the next version']);
  expect(await names({ kubelet: '1.37.2' })).toEqual(['kubelet 1.37']);
});

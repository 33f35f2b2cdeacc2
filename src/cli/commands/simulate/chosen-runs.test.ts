import { expect, test } from 'vitest';
import { loadScenario } from '../../../lab/scenario/file/load.js';
import { libraryFiles } from '../../../lab/scenario/file/scenario-files.js';
import { chosenRuns } from './chosen-runs.js';

test('a kubelet program is not run as another design of the evented PLEG', async () => {
  const file = libraryFiles().find((name) => name.endsWith('evented-fall-back.yaml')) ?? '';
  const scenario = await loadScenario(file);
  const names = async (own: object) =>
    (await chosenRuns(scenario, {}, [{ label: '1.37', version: '1.37', ...own }])).map(({ name }) => name);
  expect(await names({})).toEqual(['kubelet 1.37', 'kubelet 1.37 with the draft for the next version']);
  expect(await names({ program: '/kubelet' })).toEqual(['kubelet 1.37']);
});

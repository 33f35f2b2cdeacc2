import { expect, test } from 'vitest';
import { allMethods } from '../../../cri/methods.js';
import { isWork } from './state.js';

test('work is what changes something; what only asks is not', () => {
  const names = allMethods.map(({ name }) => name);
  expect(names.filter(isWork).sort()).toEqual([
    'CreateContainer',
    'Exec',
    'ExecSync',
    'PullImage',
    'RemoveContainer',
    'RemoveImage',
    'RemovePodSandbox',
    'ReopenContainerLog',
    'RunPodSandbox',
    'StartContainer',
    'StopContainer',
    'StopPodSandbox',
    'UpdateContainerResources',
    'UpdatePodSandboxResources',
    'UpdateRuntimeConfig',
  ]);
});

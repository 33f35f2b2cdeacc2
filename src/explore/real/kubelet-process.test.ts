import { expect, test } from 'vitest';
import { loadYaml } from '../../input/yaml-document.js';
import { kubeletConfig } from './kubelet-process.js';

test('feature gates of the scenario are added to those of the configuration, and override them', () => {
  const text = kubeletConfig({
    program: 'kubelet',
    directory: '/d',
    endpoint: 'unix:///s',
    nodeName: 'n',
    port: 1,
    readOnlyPort: 2,
    config: { featureGates: { EventedPLEG: true, CRIListStreaming: true } },
    featureGates: { CRIListStreaming: false },
    exited: () => {},
  });
  expect(loadYaml().parse(text)).toMatchObject({
    featureGates: { EventedPLEG: true, CRIListStreaming: false },
  });
});

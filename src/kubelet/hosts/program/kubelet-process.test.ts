import { expect, test } from 'vitest';
import { loadYaml } from '../../../base/input/yaml-document.js';
import { kubeletSettings } from '../settings.js';
import { type KubeletProcessOptions, kubeletConfig } from './kubelet-process.js';

/** The configuration that the program gets. */
const written = (config: KubeletProcessOptions['config'], gates: KubeletProcessOptions['gates']) =>
  loadYaml().parse(
    kubeletConfig({
      program: 'kubelet',
      directory: '/d',
      endpoint: 'unix:///s',
      nodeName: 'n',
      port: 1,
      readOnlyPort: 2,
      config,
      gates,
    }),
  );

test('feature gates of the options are added to those of the configuration, and override them', () => {
  const config = { featureGates: { EventedPLEG: true, CRIListStreaming: true } };
  const { gates } = kubeletSettings({
    config: { fields: config, file: 's.yaml' },
    gates: { CRIListStreaming: false },
  });
  expect(written(config, gates)).toMatchObject({
    featureGates: { EventedPLEG: true, CRIListStreaming: false },
  });
});

test('the port of a kubelet, which runs as root and asks for no credentials, gives no logs of the machine', () => {
  expect(written({ enableDebuggingHandlers: true, enableSystemLogHandler: true }, {})).toMatchObject({
    address: '127.0.0.1',
    enableDebuggingHandlers: false,
  });
});

test('a configuration leads to no other runtime and to no other images', () => {
  const config = {
    containerRuntimeEndpoint: 'unix:///run/a.sock',
    imageServiceEndpoint: 'unix:///run/b.sock',
  };
  expect(written(config, {})).toMatchObject({
    containerRuntimeEndpoint: 'unix:///s',
    imageServiceEndpoint: 'unix:///s',
  });
});

import { writeYaml } from '../../../base/input/yaml-document.js';
import { type ConfigurationOptions, kubeletConfiguration } from '../kubelet-configuration.js';
import { OWN_PLACE } from './namespaces.js';

/** Configuration of a kubelet in its own namespaces, as YAML. Without root it cannot use all of the machine. */
export const programConfig = (options: ConfigurationOptions): string =>
  kubeletConfiguration(
    {
      ...options,
      config: { ...options.config, contentType: 'application/json' },
      gates: { ...options.gates, ...(process.getuid?.() !== 0 && { KubeletInUserNamespace: true }) },
    },
    { staticPodPath: `${OWN_PLACE}/manifests`, volumePluginDir: `${OWN_PLACE}/volume-plugins` },
  );

/** For an API server that requires no credentials. */
export const kubeconfig = (url: string): string =>
  writeYaml({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'mockri', cluster: { server: url } }],
    users: [{ name: 'node', user: {} }],
    contexts: [{ name: 'mockri', context: { cluster: 'mockri', user: 'node' } }],
    'current-context': 'mockri',
  });

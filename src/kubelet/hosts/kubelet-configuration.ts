import { writeYaml } from '../../base/input/yaml-document.js';

export interface ConfigurationOptions {
  readonly endpoint: string;
  /** A free port, and another one that serves `/pods` and `/metrics` without authentication. */
  readonly port: number;
  readonly readOnlyPort: number;
  readonly gates: Readonly<Record<string, boolean>>;
  /** KubeletConfiguration fields that override those needed on a machine without containers. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * KubeletConfiguration as YAML. Mockri's containers use no resources of the machine, so the kubelet need not protect
 * it. `own` are fields that `config` can't change.
 */
export function kubeletConfiguration(
  { endpoint, port, readOnlyPort, gates, config }: ConfigurationOptions,
  own: Readonly<Record<string, string | boolean>>,
): string {
  return writeYaml({
    apiVersion: 'kubelet.config.k8s.io/v1beta1',
    kind: 'KubeletConfiguration',
    cgroupDriver: 'cgroupfs',
    cgroupsPerQOS: false,
    enforceNodeAllocatable: [],
    failSwapOn: false,
    failCgroupV1: false,
    localStorageCapacityIsolation: false,
    makeIPTablesUtilChains: false,
    imageGCHighThresholdPercent: 100,
    evictionHard: {
      'imagefs.available': '0%',
      'memory.available': '1Mi',
      'nodefs.available': '0%',
      'nodefs.inodesFree': '0%',
    },
    resolvConf: '',
    clusterDNS: ['10.96.0.10'],
    clusterDomain: 'cluster.local',
    ...config,
    containerRuntimeEndpoint: endpoint,
    imageServiceEndpoint: endpoint,
    ...own,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: '127.0.0.1',
    port,
    healthzPort: 0,
    readOnlyPort,
    featureGates: gates,
  });
}

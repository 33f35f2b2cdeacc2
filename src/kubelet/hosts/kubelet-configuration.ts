import { writeYaml } from '../../base/input/yaml-document.js';

/** What the configuration of a kubelet program depends on. */
export interface ConfigurationOptions {
  /** Of the runtime, as the program finds it. */
  readonly endpoint: string;
  /** A free port, and another one that answers `/pods` and `/metrics` without authentication. */
  readonly port: number;
  readonly readOnlyPort: number;
  /** All gates that were asked for. */
  readonly gates: Readonly<Record<string, boolean>>;
  /** Fields of a KubeletConfiguration, which replace those that are needed on a machine without containers. */
  readonly config: Readonly<Record<string, unknown>>;
}

/**
 * The configuration as YAML. Mockri's containers use nothing of the machine, so the kubelet need not guard it. `paths` are
 * the fields that say where the kubelet finds and puts files.
 */
export function kubeletConfiguration(
  { endpoint, port, readOnlyPort, gates, config }: ConfigurationOptions,
  paths: Readonly<Record<string, string>>,
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
    ...paths,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: '127.0.0.1',
    port,
    healthzPort: 0,
    readOnlyPort,
    featureGates: gates,
  });
}

import { loadYaml } from '../../input/yaml-document.js';
import { OWN_PLACE } from './namespaces.js';

/** What the configuration of a kubelet program depends on. */
export interface ProgramConfigOptions {
  /** Of the runtime, as the program finds it. */
  readonly endpoint: string;
  readonly port: number;
  readonly readOnlyPort: number;
  readonly gates: Readonly<Record<string, boolean>>;
  /** Fields of a KubeletConfiguration, which replace those that are needed on a machine without containers. */
  readonly config: Readonly<Record<string, unknown>>;
}

/** The configuration as YAML. Mockri's containers use nothing of the machine, so the kubelet need not guard it. */
export function programConfig({ endpoint, port, readOnlyPort, gates, config }: ProgramConfigOptions): string {
  return loadYaml().stringify({
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
    contentType: 'application/json',
    containerRuntimeEndpoint: endpoint,
    imageServiceEndpoint: endpoint,
    staticPodPath: `${OWN_PLACE}/manifests`,
    volumePluginDir: `${OWN_PLACE}/volume-plugins`,
    authentication: { anonymous: { enabled: true }, webhook: { enabled: false } },
    authorization: { mode: 'AlwaysAllow' },
    address: '127.0.0.1',
    port,
    healthzPort: 0,
    readOnlyPort,
    // Without root it must do without some of the machine.
    featureGates: { ...gates, ...(process.getuid?.() !== 0 && { KubeletInUserNamespace: true }) },
  });
}

/** Leads to an API server that asks for no credentials. */
export const kubeconfig = (url: string): string =>
  loadYaml().stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'mockri', cluster: { server: url } }],
    users: [{ name: 'node', user: {} }],
    contexts: [{ name: 'mockri', context: { cluster: 'mockri', user: 'node' } }],
    'current-context': 'mockri',
  });

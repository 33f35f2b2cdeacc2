import { NamespaceMode } from '../../../../cri/gen/runtime/v1/api.js';
import type { NriRules, PluginView } from '../../../nri/rules.js';
import { containerOf } from './container.js';
import { limitsOf } from './limits.js';
import { cgroupsPathOf, namespaceOf } from './paths.js';

/** A pod as plugins of CRI-O see it (server/nri-api.go, criPodSandbox): without its own process. */
const podOf: PluginView['pod'] = ({ id, runtimeHandler, config }, { ips }) => {
  const { metadata, labels, annotations, linux } = config;
  const cgroupParent = linux?.cgroupParent ?? '';
  return {
    id,
    name: metadata?.name ?? '',
    uid: metadata?.uid ?? '',
    namespace: metadata?.namespace ?? '',
    labels,
    annotations,
    runtimeHandler,
    linux: {
      podOverhead: limitsOf(linux?.overhead),
      podResources: limitsOf(linux?.resources),
      cgroupParent,
      cgroupsPath: cgroupsPathOf(cgroupParent, id),
      namespaces: namespacesOf(id, linux?.securityContext?.namespaceOptions?.network === NamespaceMode.NODE),
      resources: { cpu: { shares: { value: 2n } }, devices: [{ allow: false, access: 'rwm' }] },
    },
    ips: [...ips],
  };
};

const namespacesOf = (id: string, isOnHost: boolean) => [
  { type: 'pid' },
  ...(isOnHost ? [] : [{ type: 'network', path: namespaceOf('net', id) }]),
  { type: 'ipc', path: namespaceOf('ipc', id) },
  { type: 'uts', path: namespaceOf('uts', id) },
  { type: 'mount' },
];

const CDI = 'CDI device injection failed: ';

/** NRI 0.11 in CRI-O 1.36 (internal/nri, server/nri-api.go). */
export const crioPlugins: NriRules = {
  // Stopping a pod doesn't change what plugins see.
  view: { pod: podOf, stoppedPod: (pod) => pod, container: containerOf },
  version: '',
  singleEvents: false,
  exclusiveSync: false,
  refusal: (what, id) => {
    if (what === 'pluginDevices') return `failed to adjust container ${id}: ${CDI}`;
    return what === 'clientDevices' ? CDI : '';
  },
  failsStart: false,
  failsStop: true,
  tellsStopOfRemoved: false,
  updateFailure: 'NRI update of containers failed',
  failsOnUpdates: true,
  tellsOfRefused: false,
  annotationsInSpec: true,
  showsEnded: true,
  showsStart: false,
  showsSeccomp: false,
  hugePages: true,
};

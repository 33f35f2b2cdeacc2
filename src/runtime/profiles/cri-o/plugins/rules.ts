import type { NriRules } from '../../../nri/rules.js';
import { containerOf } from './container.js';
import { podOf } from './pod.js';

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

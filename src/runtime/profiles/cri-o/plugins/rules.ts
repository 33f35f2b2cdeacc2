import type { NriRules } from '../../../nri/rules.js';
import { containerOf } from './container.js';
import { podOf } from './pod.js';

const CDI = 'CDI device injection failed: ';

/** NRI as CRI-O 1.36 has it (internal/nri, server/nri-api.go), with version 0.11 of NRI. */
export const crioPlugins: NriRules = {
  // A pod stays as it was when it is stopped.
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

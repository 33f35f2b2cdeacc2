import { containerOf } from './objects/container.js';
import { podOf, stoppedPod } from './objects/pod.js';
import type { NriRules, Refusable } from './rules.js';

const NOT_CREATED = 'failed to create containerd container: ';

const refusals: Readonly<Record<Refusable, string>> = {
  runPodSandbox: 'NRI RunPodSandbox failed: ',
  updatePodSandbox: 'NRI sandbox update failed: ',
  stopPodSandbox: '',
  createContainer: `${NOT_CREATED}failed to get NRI adjustment for container: `,
  clientDevices: `${NOT_CREATED}CDI device injection failed: `,
  pluginDevices: `${NOT_CREATED}failed to NRI-adjust container Spec: CDI device injection failed: `,
  startContainer: 'NRI container start failed: ',
  updateContainer: 'NRI container update failed: ',
};

/** NRI in containerd 2.4.2 (internal/cri/nri, internal/nri; the version is from its go.mod). */
export const containerdRules: NriRules = {
  view: { pod: podOf, stoppedPod, container: containerOf },
  version: 'v0.12.3',
  singleEvents: true,
  exclusiveSync: true,
  refusal: (what) => refusals[what],
  failsStart: true,
  failsStop: false,
  tellsStopOfRemoved: true,
  updateFailure: 'NRI update of some containers failed',
  failsOnUpdates: false,
  tellsOfRefused: true,
  annotationsInSpec: false,
  showsEnded: false,
  showsStart: true,
  showsSeccomp: true,
  // disable_hugetlb_controller is on by default.
  hugePages: false,
};

import type { KubeletOptions } from './kubelet-options.js';
import type { Pod } from './kubernetes/pod.js';
import { createProbeManager, type ProbeManagerOptions } from './probes/manager.js';
import { createResizing, type ResizingOptions } from './resize/resizing.js';
import { createPodStatuses, type PodStatusesOptions } from './sync/pod-statuses.js';

/** Dependencies on the other parts. */
export interface PodPartsOptions
  extends Pick<ProbeManagerOptions, 'client' | 'recorder' | 'signal' | 'update'>,
    Pick<ResizingOptions, 'checkpoints' | 'activePods' | 'sync'>,
    Pick<PodStatusesOptions, 'reasons' | 'runtimeName' | 'remind' | 'localStorage'> {
  readonly pods: ReadonlyMap<string, Pod>;
}

/** Creates the parts that determine pod statuses: probes and resizes change them and depend on them. */
export function createPodParts(options: KubeletOptions, given: PodPartsOptions) {
  const { clock, network, random, version } = options;
  const { client, recorder, signal, pods, checkpoints } = given;
  const probes = createProbeManager({
    ...{ clock, network, client, recorder, version, signal },
    random: random.fork('probes'),
    status: (uid) => statuses.get(uid),
    onProbe: options.onProbe,
    update: given.update,
  });
  const resizing = createResizing({
    ...{ clock, version, recorder, checkpoints },
    node: options.node,
    podOf: (uid) => pods.get(uid),
    statusOf: (uid) => statuses.get(uid),
    activePods: given.activePods,
    sync: given.sync,
  });
  const statuses = createPodStatuses({
    ...options,
    ...{ signal, recorder, probes, resizing },
    wanted: (uid) => pods.get(uid),
    reasons: given.reasons,
    runtimeName: given.runtimeName,
    remind: given.remind,
    localStorage: given.localStorage,
    actuated: checkpoints.actuated.get,
  });
  return { probes, resizing, statuses };
}

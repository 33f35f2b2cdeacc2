// Exports of the kubelet for nodes of a cluster, in addition to `kubernetes` and `hosts`.

export { misfit } from './admission/admit.js';
export type { AdmittingNode } from './admission/admitting-node.js';
export { errorText } from './client/errors.js';
export { CONTAINER_NAME, POD_UID } from './client/labels.js';
export type { KubeletFiles } from './disk/files.js';
export { createNodeFiles } from './disk/node-files.js';
export type { KubeObjects } from './kube-objects.js';
export { declaredFeatures } from './node/declared-features.js';
export type { NodeReady } from './node/node-status.js';
export type { EventSink, PodSource, StatusSink } from './pod-ports.js';
export type { ManifestObject } from './pods/manifest.js';
export { watchManifests } from './pods/manifest-source.js';
export { containerOf } from './runtime/kill.js';
export { allStatuses } from './status/container-statuses.js';
export { withoutEarlyEnd } from './status/early-end.js';
export { isTerminal } from './status/phase.js';
export type { Verdict } from './types/ports.js';
export type { KubeletVersion } from './types/version.js';

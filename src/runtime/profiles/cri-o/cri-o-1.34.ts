import { strictRules } from '../../engine/rules.js';
import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedTimes } from '../recorded.js';
import { crioChecks } from './checks.js';
import { answerOf } from './errors.js';
import { crioPlugins } from './plugins/rules.js';
import { crioHandlers, crioReplies } from './replies.js';
import { shownResources } from './resources.js';

/** With its default config except for runc, measured with 1.34.0 (docs/profiles.md). */
export const crio134: RuntimeProfile = {
  name: 'cri-o-1.34',
  runtime: { name: 'cri-o', version: '1.34.0' },
  rules: {
    ...strictRules,
    namesInPod: true,
    joinedNames: true,
    checks: crioChecks,
    negativeTimeouts: true,
    updatesNothing: true,
    findsProgramFirst: true,
    podContainers: false,
    wholeImages: false,
    mountedImageRefs: false,
    bareImageIds: true,
    statusCreatedLater: true,
    lookupFirst: true,
    // server/sandbox_remove.go; the order is that of internal/memorystore/history.go
    removesOneByOne: true,
    statsOf: 'living',
    keepsStopped: true,
    checksStreams: false,
    checksInStream: true,
    newestSubprotocols: false,
    // internal/oci/runtime_oci_linux.go
    portRefused: (id, port) =>
      `failed to connect to localhost:${port} inside namespace ${id}: dial tcp [::1]:${port}: connect: connection refused`,
    stopSignals: false,
    stops: { leastGrace: 10, removalGrace: 10_000, createdLives: true, setsFinishedAgain: true },
    resources: shownResources,
    handlers: crioHandlers,
  },
  nri: crioPlugins,
  events: {},
  missing: missingRpcs([], ['UpdatePodSandboxResources']),
  answer: answerOf,
  replies: (clock) => crioReplies(clock, '1.2.1'),
  latency: recordedTimes('cri-o/latency-1.34.json'),
};

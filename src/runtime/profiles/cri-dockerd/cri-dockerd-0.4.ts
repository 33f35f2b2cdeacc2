import { NamespaceMode } from '../../../cri/gen/runtime/v1/api.js';
import { strictRules } from '../../engine/rules.js';
import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedTimes } from '../recorded.js';
import { answerOf } from './errors.js';
import { criDockerdReplies } from './replies.js';
import { shownFailure, startError } from './start-failure.js';

export const criDockerd04: RuntimeProfile = {
  name: 'cri-dockerd-0.4',
  runtime: { name: 'docker', version: '20.10.24+dfsg1' },
  rules: {
    ...strictRules,
    emptyNames: true,
    namesInPod: true,
    joinedNames: true,
    sharesUnfinished: true,
    checks: { sandbox: () => {}, container: () => {}, start: () => undefined },
    negativeTimeouts: true,
    createInStoppedSandbox: true,
    updateExited: true,
    startsAgain: true,
    failedListedCreated: true,
    podContainers: false,
    wholeImages: false,
    imageIds: false,
    mountedImageRefs: false,
    users: false,
    recursiveReadOnly: false,
    stopSignals: false,
    statsOf: 'all',
    lookupFirst: true,
    checksStreams: false,
    newestSubprotocols: false,
    // moby daemon/monitor.go: StreamConfig.Wait.
    execs: { syncWait: 2000, streamWait: 2000, timeoutOfCommand: false },
    // socat's output without its date (core/sandbox_portforward.go).
    portRefused: (_id, port) =>
      `exit status 1: socat[1] E connect(5, AF=2 127.0.0.1:${port}, 16): Connection refused\n`,
    stops: { ...strictRules.stops, leastGrace: 1 },
    // Without Linux options, it is in Docker's own network.
    startsAlone: (config) => config().linux === undefined,
    // In PID namespace POD, it ends with the pause container.
    outlivesSandbox: (config) => {
      const { linux } = config();
      if (linux === undefined) return true;
      const pid = linux.securityContext?.namespaceOptions?.pid ?? NamespaceMode.POD;
      return pid !== NamespaceMode.POD;
    },
    resources: () => undefined,
    startError,
    startFailure: shownFailure,
    handlers: ([handler]) => ['', 'docker'].map((name) => ({ name, features: handler?.features })),
  },
  events: {},
  missing: missingRpcs([
    'CheckpointContainer',
    'GetContainerEvents',
    'ListMetricDescriptors',
    'ListPodSandboxMetrics',
    'ListPodSandboxStats',
    'PodSandboxStats',
  ]),
  answer: answerOf,
  replies: criDockerdReplies,
  latency: recordedTimes('cri-dockerd/latency-0.4.json'),
};

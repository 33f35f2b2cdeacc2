import { type ContainerResources, LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import { strictRules } from '../../engine/rules.js';
import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import { containerdHandlers, containerdReplies } from './replies.js';
import { shownLayer } from './stats.js';

const texts: ErrorTexts = {
  noCgroup: (id) => `sandbox "${id}" has no cgroup parent`,
  absentImage: '',
};

const config = recordedConfig('containerd/config-2.4.json');

/** A sandbox's network namespace; containerd names it with a random uuid. */
const networkOf = (id: string): string =>
  `/var/run/netns/cni-${id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')}`;

/** containerd 2.4, measured with 2.4.2 (docs/profiles.md). */
export const containerd24: RuntimeProfile = {
  name: 'containerd-2.4',
  runtime: { name: 'containerd', version: '2.4.2+unknown' },
  rules: {
    emptyNames: true,
    namesInPod: true,
    joinedNames: true,
    sharesUnfinished: false,
    checks: containerdChecks,
    negativeTimeouts: true,
    createInStoppedSandbox: false,
    updateExited: true,
    updatesNothing: true,
    findsProgramFirst: false,
    startsAgain: false,
    failedListedCreated: false,
    failedStartEvent: false,
    podContainers: false,
    wholeImages: false,
    imageIds: true,
    mountedImageRefs: false,
    bareImageIds: false,
    statusCreatedLater: false,
    users: true,
    sharesLogDirectory: false,
    recursiveReadOnly: true,
    repeatsDeleted: true,
    removesOneByOne: false,
    stopSignals: true,
    statsOf: 'all',
    keepsStopped: false,
    statsNeedCgroup: true,
    hostNetworkStats: false,
    lookupFirst: true,
    checksStreams: false,
    checksInStream: false,
    newestSubprotocols: false,
    // container_execsync.go: drain_exec_sync_io_timeout is 0, so that nothing but the end of both outputs ends the
    // wait.
    execs: {
      syncWait: Number.POSITIVE_INFINITY,
      streamWait: Number.POSITIVE_INFINITY,
      timeoutOfCommand: true,
    },
    // internal/cri/server/sandbox_portforward_linux.go
    portRefused: (id, port) =>
      `failed to execute portforward in network namespace "${networkOf(id)}": failed to connect to localhost:${port} inside namespace "${id}", IPv4: dial tcp4 127.0.0.1:${port}: connect: connection refused IPv6 dial tcp6 [::1]:${port}: connect: connection refused `,
    stops: strictRules.stops,
    refusesBusy: true,
    resources: shownResources,
    writableLayer: shownLayer,
    startsAlone: strictRules.startsAlone,
    outlivesSandbox: strictRules.outlivesSandbox,
    startError: strictRules.startError,
    startFailure: runcText,
    failedInStoppedSandbox: (id) => `sandbox container "${id}" is not running`,
    handlers: containerdHandlers,
  },
  // internal/eventq: a channel of 100 for each subscriber; a sender waits for space.
  events: { overflow: 'block', queueSize: 100, replay: true },
  missing: missingRpcs(
    ['CheckpointPod', 'RestorePod'],
    [...STREAMS, 'UpdatePodSandboxResources', 'CheckpointPod', 'RestorePod'],
  ),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency: recordedTimes('containerd/latency-2.4.json'),
  replies: containerdReplies(config, { needsAll: false, threads: true, longStart: false }),
};

/**
 * Omits huge pages (disable_hugetlb_controller); the swap limit equals the memory limit, unless it is set (measured).
 */
function shownResources(given: ContainerResources | undefined): ContainerResources {
  const linux = given?.linux ?? LinuxContainerResources.fromPartial({});
  const { memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = linux;
  return {
    linux: {
      ...linux,
      hugepageLimits: [],
      memorySwapLimitInBytes: swap === 0n ? memory : swap,
    },
    windows: given?.windows,
  };
}

import { type ContainerResources, LinuxContainerResources } from '../../../cri/gen/runtime/v1/api.js';
import { strictRules } from '../../engine/rules.js';
import { missingRpcs } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedConfig, recordedTimes } from '../recorded.js';
import { containerdChecks } from './checks.js';
import { answerOf, type ErrorTexts, runcText } from './errors.js';
import { containerdHandlers, containerdReplies } from './replies.js';
import { shownLayer, shownPodStats } from './stats.js';

export const texts: ErrorTexts = {
  nameTaken: 'FAILED_PRECONDITION',
  containerNameHint: '; check if another CreateContainer request is in progress',
  noHandler: (id) => `unable to get OCI runtime for sandbox "${id}": `,
  noSandboxUser: (id) => `failed to start sandbox "${id}": `,
  noNetwork: (id) => `failed to create network namespace for sandbox "${id}": `,
  noSpecOpts: 'failed to generate spec opts: ',
  listStats: ([first = '']) => first,
  noCgroup: (id) => `failed to get cgroup metrics for sandbox ${id} because cgroupPath is empty`,
  absentImage: 'failed to check if this is a checkpoint image: ',
  ociFailed: '',
  stoppedIsSeen: false,
};

/** The sysctls of enable_unprivileged_ports and enable_unprivileged_icmp, which are on. */
export const SYSCTLS = {
  'net.ipv4.ip_unprivileged_port_start': '0',
  'net.ipv4.ping_group_range': '0 2147483647',
};

const config = recordedConfig('containerd/config-2.1.json');

/** A sandbox's network namespace; containerd names it with a random uuid. */
const networkOf = (id: string): string =>
  `/var/run/netns/cni-${id.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12}).*/, '$1-$2-$3-$4-$5')}`;

/** containerd 2.1, measured with 2.1.9 (docs/profiles.md). */
export const containerd21: RuntimeProfile = {
  name: 'containerd-2.1',
  runtime: { name: 'containerd', version: '2.1.9+unknown' },
  rules: {
    emptyNames: true,
    namesInPod: true,
    joinedNames: true,
    sharesUnfinished: false,
    checks: containerdChecks({
      texts,
      cdi: true,
      imageMounts: true,
      groupPolicies: true,
      idRange: true,
    }),
    negativeTimeouts: true,
    createInStoppedSandbox: true,
    updateExited: true,
    updatesNothing: true,
    findsProgramFirst: false,
    startsAgain: false,
    failedListedCreated: false,
    failedStartEvent: false,
    podContainers: false,
    wholeImages: false,
    imageIds: false,
    mountedImageRefs: false,
    bareImageIds: false,
    statusCreatedLater: false,
    users: true,
    deletedStatus: true,
    sharesLogDirectory: false,
    recursiveReadOnly: true,
    repeatsDeleted: true,
    removesOneByOne: false,
    stopSignals: false,
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
    startFailure: (message) => runcText(message, texts),
    failedInStoppedSandbox: (id) => `sandbox container "${id}" is not running`,
    handlers: containerdHandlers,
  },
  // internal/eventq: a channel of 100 for each subscriber; a sender waits for space.
  events: { overflow: 'block', queueSize: 100, replay: true },
  missing: missingRpcs(['ListMetricDescriptors', 'ListPodSandboxMetrics']),
  answer: (method, error, request) => answerOf(method, error, request, texts),
  latency: recordedTimes('containerd/latency-2.1.json'),
  replies: (clock) =>
    containerdReplies(
      {
        features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false },
        podStats: shownPodStats,
        ociFailed: texts.ociFailed,
        removalsClash: true,
        info: {
          golang: 'go1.27.1',
          config: config(),
          ociVersion: '1.2.1',
          sysctls: SYSCTLS,
          showsHandler: false,
        },
      },
      clock,
    ),
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

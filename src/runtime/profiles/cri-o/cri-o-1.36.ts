import { StatusError } from '../../../cri/errors.js';
import {
  type ContainerConfig,
  type ContainerResources,
  LinuxContainerResources,
  NamespaceMode,
} from '../../../cri/gen/runtime/v1/api.js';
import { Code } from '../../../cri/status-code.js';
import { type ConfigChecks, strictRules } from '../../engine/rules.js';
import { startFault } from '../containerd/start-fault.js';
import { lacksDirectory } from '../log-directory.js';
import { missingRpcs, STREAMS } from '../missing.js';
import type { RuntimeProfile } from '../profile.js';
import { recordedTimes } from '../recorded.js';
import { answerOf } from './errors.js';
import { crioPlugins } from './plugins/rules.js';
import { crioHandlers, crioReplies } from './replies.js';

const pidsOf = ({ linux }: ContainerConfig): NamespaceMode =>
  linux?.securityContext?.namespaceOptions?.pid ?? NamespaceMode.POD;

/** CRI-O accepts any sandbox config; container configs that runc refuses fail in CreateContainer. */
const crioChecks: ConfigChecks = {
  sandbox: () => {},
  container: (config, { sharesPids }, _, logPath) => {
    if (!sharesPids && pidsOf(config) === NamespaceMode.POD)
      throw new StatusError(
        Code.UNKNOWN,
        'pod level PID namespace requested for the container, but pod sandbox was not similarly configured, and does not have an infra container',
      );
    // CRI-O creates only the sandbox's directory; its monitor ends without the log.
    if (config.logPath.includes('/') && logPath !== undefined && lacksDirectory(logPath))
      throw new StatusError(
        Code.UNKNOWN,
        'failed to wait exit status 1 after failing with: write child: broken pipe',
      );
  },
  start: startFault,
};

/** CRI-O 1.36 with its default config except for runc, measured with 1.36.1 (docs/profiles.md). */
export const crio136: RuntimeProfile = {
  name: 'cri-o-1.36',
  runtime: { name: 'cri-o', version: '1.36.1' },
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
    // conmon reads the available output (drain_stdio); Exec copies until both pipes end (runtime_oci.go).
    execs: { syncWait: 0, streamWait: Number.POSITIVE_INFINITY, timeoutOfCommand: false },
    // internal/oci/runtime_oci_linux.go
    portRefused: (id, port) =>
      `failed to connect to localhost:${port} inside namespace ${id}: dial tcp [::1]:${port}: connect: connection refused`,
    stops: { leastGrace: 10, removalGrace: 10_000, createdLives: true, setsFinishedAgain: true },
    resources: shownResources,
    handlers: crioHandlers,
  },
  nri: crioPlugins,
  events: {},
  missing: missingRpcs([], [...STREAMS, 'UpdatePodSandboxResources']),
  // server/server.go, streamChunkSize
  streamItems: 3000,
  answer: answerOf,
  replies: crioReplies,
  latency: recordedTimes('cri-o/latency-1.36.json'),
};

/** Always present (internal/oci/container.go, GetResources); the swap limit is that of memory, unless it is set. */
function shownResources(given: ContainerResources | undefined): ContainerResources {
  const linux = given?.linux ?? LinuxContainerResources.fromPartial({});
  const { memoryLimitInBytes: memory, memorySwapLimitInBytes: swap } = linux;
  return { linux: { ...linux, memorySwapLimitInBytes: swap === 0n ? memory : swap }, windows: undefined };
}

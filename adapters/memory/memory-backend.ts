import { type Accounts, openAccounts } from '../../src/base/input/account.js';
import { packageVersion } from '../../src/base/input/package-version.js';
import type { RuntimeHandler } from '../../src/cri/gen/runtime/v1/api.js';
import type { Backend, BackendCapabilities } from '../../src/runtime/engine/backend.js';
import type { BehaviorRule, LiveRules } from './containers/choose-behavior.js';
import { containerOperations } from './containers/container-operations.js';
import type { PodFacts, UnknownImages } from './guess/facts.js';
import { createMemoryImages } from './images/memory-images.js';
import type { PullRule } from './images/pulls.js';
import type { NodeOptions } from './node.js';
import { MemoryNode } from './node.js';
import { sandboxOperations } from './pods/sandbox-operations.js';
import { createMemoryMetrics } from './usage/metrics.js';

export interface MemoryOptions extends Omit<NodeOptions, 'images' | 'accounts'> {
  /** Memory limits of the node. Default: its own accounts. */
  readonly accounts?: Accounts | undefined;
  /** Behaviors by image, name or labels; the first match counts. */
  readonly behaviors?: readonly BehaviorRule[];
  readonly pulls?: readonly PullRule[];
  /** Rules that come and go while containers run. Default: none. */
  readonly live?: LiveRules | undefined;
  /** How long a pull takes, in ms; default 20. */
  readonly pullLatency?: number;
  /** For an unknown image and an unsimulated command: runs as a healthy server, or fails. Default: fail. */
  readonly unknownImages?: UnknownImages;
  /** Finds the Kubernetes pod by uid, if known: the CRI has neither init containers nor probes. */
  readonly podOf?: (uid: string) => PodFacts | undefined;
  /** Whether an image was loaded onto the node; called when a client names the image. */
  readonly isLoaded?: (reference: string) => boolean;
  readonly presentImages?: readonly string[];
  /** Images whose user is root, although Mockri does not know them. Default: none. */
  readonly rootImages?: readonly string[];
}

const HANDLERS: readonly RuntimeHandler[] = [
  { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
];

const CAPABILITIES: BackendCapabilities = {
  runtimeHandlers: HANDLERS,
  features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false },
  cgroupDriver: 'cgroupfs',
  attach: true,
  portForward: true,
  updateResources: true,
};

/** Containers that are async functions on a clock: no privileges, no images, nothing to install. */
export function createMemoryBackend(options: MemoryOptions): Backend {
  const {
    clock,
    accounts = openAccounts(),
    programs,
    place,
    network,
    machinePorts,
    disk,
    hostname,
  } = options;
  const { warn, behaviors = [], live } = options;
  const { pulls: rules = [], pullLatency: latency = 20, presentImages: present = [] } = options;
  const { unknownImages = 'fail', rootImages = [], isLoaded, podOf } = options;
  const { images: account } = accounts;
  const images = createMemoryImages({
    clock,
    rules,
    latency,
    live: live?.pull,
    present,
    isLoaded,
    unknownImages,
    rootImages,
    account,
  });
  const node = new MemoryNode({
    clock,
    images,
    accounts,
    programs,
    place,
    network,
    machinePorts,
    hostname,
    disk,
    warn,
  });
  return {
    info: { name: 'mockri', version: packageVersion() },
    capabilities: CAPABILITIES,
    images,
    metrics: createMemoryMetrics(node),
    open: async (host) => {
      node.open(host);
      if (host.sharesMachine) {
        node.machinePorts = 'all';
        await node.addresses.reserve();
      }
      return { sandboxes: [], containers: [] };
    },
    close: async () => {
      await Promise.all([...node.containers.values()].map((container) => container.kill()));
      await node.addresses.releaseReservation();
    },
    ...sandboxOperations(node),
    ...containerOperations(node, { behaviors, live, unknownImages, podOf }),
  };
}

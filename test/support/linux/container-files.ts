import { filesConfigOf } from '../../../adapters/memory/containers/container-files.js';
import { contentOf } from '../../../adapters/memory/images/catalog.js';
import type { Clock } from '../../../src/base/clock/clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { Account } from '../../../src/base/input/account.js';
import { ContainerConfig, PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import { parseImageReference } from '../../../src/cri/image-reference.js';
import { createContainerFs } from '../../../src/linux/fs/container-fs.js';
import type { ContainerFiles } from '../../../src/linux/fs/file-system.js';
import { HostDisk, type NodeDisk } from '../../../src/linux/fs/node-disk.js';
import { createRoots } from '../../../src/linux/fs/rootfs.js';
import type { ContainerView } from '../../../src/linux/process/process.js';
import type { TableOptions } from '../../../src/linux/process/process-table.js';

/** For tests: data of a container. */
export const someView: ContainerView = {
  id: 'c0ffee',
  hostname: 'web-0',
  ips: ['127.64.0.1'],
  memoryLimit: undefined,
  oomScore: 0,
  capabilities: ['CHOWN', 'NET_RAW'],
  privileged: false,
  readonlyRootfs: false,
  sysctls: new Map([['fs.mqueue.msg_max', '100']]),
  setSysctl: () => false,
  security: { noNewPrivs: false, seccomp: undefined },
  links: new Map(),
  setHostname: () => {},
  reaches: (address) => address.startsWith('127.'),
  resolve: () => [],
  processes: () => [],
  kill: () => false,
  ownProcesses: () => [],
  oomKills: 0,
  cpuUsed: 0,
  memoryUsed: 0,
};

/** For tests: processes without a network. */
export const noNetwork: Pick<TableOptions, 'connect' | 'listen'> = {
  connect: () => Promise.reject(new Error('no network here')),
  listen: () => Promise.reject(new Error('no network here')),
};

function rootOf(name: string, commands: readonly string[]) {
  const reference = parseImageReference(name);
  if (!reference) throw new TypeError(`${name} is not an image reference`);
  return createRoots(commands)(contentOf(reference));
}

/** For tests: the files of a container, from an image with a config. */
export function containerFiles(
  image = 'busybox',
  config: Parameters<typeof ContainerConfig.fromPartial>[0] = {},
  view: ContainerView = someView,
  commands: readonly string[] = ['ls', 'sh', 'env'],
  clock: Clock = createVirtualClock(),
  disk: NodeDisk = new HostDisk(),
  account?: Account,
): ContainerFiles {
  const container = ContainerConfig.fromPartial(config);
  const pod = PodSandboxConfig.fromPartial({
    dnsConfig: { servers: ['10.10.10.10'], searches: ['google.com'], options: ['ndots:8'] },
  });
  return createContainerFs({
    id: 'c0ffee',
    createdAt: 0n,
    config: () => filesConfigOf(container, pod),
    clock,
    account,
    root: rootOf(image, commands),
    imageRoot: (reference) => rootOf(reference, commands),
    hostPlace: (path) => disk.find(path, false),
    view: () => view,
    resources: () => container.linux?.resources,
  });
}

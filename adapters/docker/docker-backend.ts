import { readFileSync } from 'node:fs';
import type { Clock } from '../../src/base/clock/clock.js';
import { HostPlaces } from '../../src/base/host/host-places.js';
import type { RuntimeHandler } from '../../src/cri/gen/runtime/v1/api.js';
import type { Backend, BackendHost } from '../../src/runtime/engine/backend.js';
import type { Context } from './context.js';
import { connect, type DockerAddress, firstAnswer, unavailable } from './daemon/connection.js';
import { createMonitor, type Listed, type Monitor } from './daemon/monitor.js';
import { toCriError } from './errors.js';
import { createImages } from './images/images.js';
import { Making } from './making.js';
import type { DockerContainer } from './pods/docker-container.js';
import type { DockerSandbox } from './pods/docker-sandbox.js';
import { Lifecycle } from './pods/lifecycle.js';
import { Pods } from './pods/pods.js';
import { recoverInventory } from './pods/recover.js';
import { attachToContainer } from './streams/attach.js';
import { execInContainer } from './streams/exec.js';
import { forwardPort } from './streams/port-forward.js';
import { createMetrics } from './usage/metrics.js';
import { createUsage } from './usage/usage-backend.js';

const CAP_SYS_RESOURCE = 24n;

export interface DockerOptions extends DockerAddress {
  readonly clock: Clock;
  /** Image of sandboxes; default registry.k8s.io/pause:3.10. */
  readonly sandboxImage?: string | undefined;
  /** Docker network of the pods; default bridge. */
  readonly network?: string | undefined;
  readonly warn?: (message: string, error: unknown) => void;
}

interface DockerInfo {
  readonly DockerRootDir: string;
  readonly CgroupDriver?: string;
  readonly Runtimes?: Readonly<Record<string, unknown>>;
}

const defaultSandboxImage = 'registry.k8s.io/pause:3.10';

/**
 * Runs real containers in Docker, which keeps all state. Throws `unavailable` or `invalid` when Docker can't be used.
 */
export async function createDockerBackend(options: DockerOptions): Promise<Backend> {
  const { clock, warn = () => {}, sandboxImage = defaultSandboxImage, network = 'bridge' } = options;
  const { docker, version, local } = await connect(options, clock);
  const info = await firstAnswer<DockerInfo>(options, clock, (asked) => docker.info(asked));
  if (typeof info?.DockerRootDir !== 'string')
    throw unavailable(options, 'its description is not that of a Docker Engine; is it Docker?');
  let context: Context | undefined;
  let monitor: Monitor | undefined;
  const current = () => {
    if (context === undefined) throw new Error('the Docker backend was not opened');
    return context;
  };
  const pods = new Pods(current);
  const lifecycle = new Lifecycle(current, pods, { image: sandboxImage, network });

  return {
    info: { name: 'mockri', version },
    capabilities: {
      runtimeHandlers: ['', ...Object.keys(info.Runtimes ?? {})].map(handler),
      features: { supplementalGroupsPolicy: false, userNamespacesHostNetwork: false, mountOptions: false },
      cgroupDriver: info.CgroupDriver === 'systemd' ? 'systemd' : 'cgroupfs',
      attach: true,
      portForward: true,
      updateResources: true,
    },
    images: createImages(current, sandboxImage),
    metrics: createMetrics(current, pods),
    ...createUsage(current, pods),

    open: async (host: BackendHost) => {
      const shared = { docker, clock, host, local, rootDirectory: info.DockerRootDir, warn };
      const made = {
        ...shared,
        lowestOomScore: lowestOomScore(),
        making: new Making(),
        places: new HostPlaces(),
      };
      const watching = createMonitor(made);
      monitor = watching;
      const opened: Context = { ...made, untilConnected: watching.untilConnected };
      context = opened;
      let reconcile = async (listing: readonly Listed[]) => {
        inventory = await recoverInventory(opened, listing);
        await pods.adopt(inventory);
        reconcile = (next) => pods.reconcile(next);
      };
      let inventory: Awaited<ReturnType<Backend['open']>> = { sandboxes: [], containers: [] };
      await watching.start({
        reconcile: (listing) => reconcile(listing),
        event: (event) => pods.event(event),
      });
      return inventory;
    },
    close: async () => {
      await monitor?.close();
      await pods.close();
    },

    runSandbox: (spec) => lifecycle.runSandbox(spec),
    stopSandbox: async (id) => pods.sandboxes.get(id)?.stop(),
    removeSandbox: (id) => lifecycle.removeSandbox(id),
    createContainer: (spec) => lifecycle.createContainer(spec),
    startContainer: (id, { signal }) => pods.container(id).start(signal),
    startedAt: (id) => pods.containers.get(id)?.startedAt,
    stopContainer: (id, { timeout }, { signal }) => pods.stopContainer(id, timeout, signal),
    removeContainer: (id) => lifecycle.removeContainer(id),
    reopenLog: async (id) => pods.container(id).reopenLog(),
    updateContainerResources: async (id, resources) => ({
      linux: await lifecycle.update(id, resources),
      windows: undefined,
    }),
    exec: (id, spec, streams, { signal }) =>
      execInContainer(current(), pods.container(id).docker, spec, streams, signal),
    attach: async (id, streams, { signal }) => {
      const { docker: container, spec } = pods.container(id);
      await attachToContainer(current(), container, spec.config.tty, streams, signal);
    },
    portForward: (id, port, connection, { signal }) =>
      forwardPort(clock, pods.sandbox(id).docker, port, connection, signal),

    inspectSandbox: (id) => describe(pods.sandbox(id)),
    inspectContainer: (id) => describe(pods.container(id)),
  };
}

/**
 * Returns the lowest oom_score_adj that a process may get here. Without CAP_SYS_RESOURCE, runc can't set a lower one
 * than its own and would fail; containerd has `restrict_oom_score_adj` for that.
 */
function lowestOomScore(): number {
  try {
    const bounding = /^CapBnd:\s*([0-9a-f]+)$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? '0';
    if ((BigInt(`0x${bounding}`) >> CAP_SYS_RESOURCE) & 1n) return -1000;
    return Number(readFileSync('/proc/self/oom_score_adj', 'utf8'));
  } catch {
    // Outside Linux, Docker runs in a separate machine.
    return -1000;
  }
}

/** Docker has no recursive read-only mounts (before 25) and no user namespaces for single pods. */
function handler(name: string): RuntimeHandler {
  return { name, features: { recursiveReadOnlyMounts: false, userNamespaces: false } };
}

/** `docker inspect`, and containerd's keys that tools look for. */
async function describe({ docker }: DockerSandbox | DockerContainer): Promise<Record<string, unknown>> {
  try {
    const info = await docker.inspect();
    const process = { args: [info.Path, ...info.Args], env: info.Config.Env, cwd: info.Config.WorkingDir };
    const runtimeType = 'docker';
    return { pid: info.State.Pid, runtimeType, runtimeSpec: { process }, docker: info };
  } catch (error) {
    throw toCriError(error, 'inspecting');
  }
}

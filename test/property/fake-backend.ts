import { writeFile } from 'node:fs/promises';
import type { Clock, Timer } from '../../src/base/clock/clock.js';
import { type Image, Signal } from '../../src/cri/gen/runtime/v1/api.js';
import {
  type Backend,
  type BackendHost,
  type ContainerExit,
  type ContainerRuntime,
  type ContainerSpec,
  type Inventory,
  StartFailure,
} from '../../src/runtime/engine/backend.js';

export interface FakeBackend extends Backend {
  readonly host: BackendHost;
  /** Every operation in the order of its start, as `name id`. */
  readonly calls: string[];
  /** Ids of paused containers. */
  readonly paused: Set<string>;
  /** Duration of operations in ms; default 0. */
  delays: Record<string, number>;
  /** Errors of operations that fail. */
  failures: Record<string, Error>;
}

interface Process {
  readonly spec: ContainerSpec;
  running: boolean;
  timer: Timer | undefined;
  stopTimer: Timer | undefined;
  waiting: (() => void)[];
}

/**
 * A minimal backend that fulfills the contract of the port, for tests of the engine alone. It knows the commands
 * `sleep N`, `exit N`, `ignore-term` (runs until killed) and `missing` (cannot be started); any image can be pulled.
 */
export function createFakeBackend(clock: Clock, inventory?: Inventory): FakeBackend {
  const processes = new Map<string, Process>();
  const images = new Map<string, Image>();
  const calls: string[] = [];
  const paused = new Set<string>();
  let host: BackendHost | undefined;

  const operation = async (name: string, id: string, signal?: AbortSignal) => {
    calls.push(`${name} ${id}`);
    const delay = backend.delays[name] ?? 0;
    if (delay > 0) await clock.sleep(delay, signal);
    const failure = backend.failures[name];
    if (failure !== undefined) throw failure;
  };

  const exit = (process: Process, exitCode: number, reason?: string) => {
    if (!process.running) return;
    process.running = false;
    process.timer?.cancel();
    process.stopTimer?.cancel();
    const ended: ContainerExit = { containerId: process.spec.id, exitCode, finishedAt: clock.now() };
    host?.containerExited(reason === undefined ? ended : { ...ended, reason });
    for (const wake of process.waiting.splice(0)) wake();
  };

  const get = (id: string) => {
    const process = processes.get(id);
    if (process === undefined) throw new Error(`no container ${id}`);
    return process;
  };

  const make = (spec: ContainerSpec): ContainerRuntime => {
    processes.set(spec.id, { spec, running: false, timer: undefined, stopTimer: undefined, waiting: [] });
    return {
      user: { linux: { uid: 0n, gid: 0n, supplementalGroups: [] } },
      resources: { linux: spec.config.linux?.resources, windows: undefined },
      stopSignal: spec.config.stopSignal || Signal.SIGNAL_SIGTERM,
    };
  };

  const backend: FakeBackend = {
    calls,
    paused,
    delays: {},
    failures: {},
    get host() {
      return host as BackendHost;
    },
    info: { name: 'fake', version: '1.0.0' },
    capabilities: {
      runtimeHandlers: [
        { name: '', features: { recursiveReadOnlyMounts: true, userNamespaces: true } },
        { name: 'plain', features: { recursiveReadOnlyMounts: false, userNamespaces: false } },
      ],
      features: { supplementalGroupsPolicy: true, userNamespacesHostNetwork: false, mountOptions: false },
      cgroupDriver: 'systemd',
      attach: true,
      portForward: true,
      updateResources: true,
    },
    open: async (given) => {
      host = given;
      return inventory ?? { sandboxes: [], containers: [] };
    },
    close: async () => {},
    runSandbox: async (spec, { signal }) => {
      await operation('runSandbox', spec.id, signal);
      return { ips: ['10.0.0.1', 'fd00::1'] };
    },
    stopSandbox: (id) => operation('stopSandbox', id),
    removeSandbox: (id) => operation('removeSandbox', id),
    createContainer: async (spec, { signal }) => {
      await operation('createContainer', spec.id, signal);
      return make(spec);
    },
    startContainer: async (id, { signal }) => {
      await operation('startContainer', id, signal);
      const process = get(id);
      const [name, argument = '0'] = process.spec.config.command;
      if (name === 'missing') throw new StartFailure('exec: "missing": executable file not found in $PATH');
      process.running = true;
      if (name === 'exit') exit(process, Number(argument));
      if (name === 'sleep') process.timer = clock.setTimer(Number(argument) * 1000, () => exit(process, 0));
    },
    stopContainer: async (id, { timeout }, { signal }) => {
      calls.push(`stopContainer ${id}`);
      const process = get(id);
      if (!process.running) return;
      if (timeout === 0) return exit(process, 137);
      if (process.spec.config.command[0] !== 'ignore-term') return exit(process, 143);
      process.stopTimer = clock.setTimer(timeout, () => exit(process, 137));
      await clock.idle(
        new Promise<void>((resolve) => {
          process.waiting.push(resolve);
          signal.addEventListener('abort', () => resolve(), { once: true });
        }),
      );
    },
    removeContainer: async (id) => {
      await operation('removeContainer', id);
      processes.delete(id);
    },
    reopenLog: (id) => operation('reopenLog', id),
    updateContainerResources: async (id, linux) => {
      await operation('updateContainerResources', id);
      return { linux, windows: undefined };
    },
    injectExit: async (id, { exitCode, reason }) => exit(get(id), exitCode, reason),
    exec: async (id, { command }, { stdout }, { signal }) => {
      calls.push(`exec ${id}`);
      const [name, argument = '0'] = command;
      if (name === 'sleep') await clock.sleep(Number(argument) * 1000, signal);
      if (name === 'fill') stdout?.write(Buffer.alloc(Number(argument), 'x'));
      if (name === 'echo') stdout?.write(argument);
      return name === 'exit' ? Number(argument) : 0;
    },
    attach: async () => {},
    portForward: async () => {},
    containerUsage: async (ids) =>
      new Map(ids.filter((id) => processes.get(id)?.running).map((id) => [id, usage(clock.now())])),
    sandboxUsage: async () => new Map(),
    inspectSandbox: async () => ({ pid: 1 }),
    inspectContainer: async () => ({ pid: 2, big: 3n }),
    images: {
      list: async () => [...new Set(images.values())],
      find: async (reference) => images.get(reference),
      pull: async ({ image }, { signal }) => {
        await operation('pull', image.image, signal);
        const id = `sha256:${Buffer.from(image.image).toString('hex').padEnd(64, '0').slice(0, 64)}`;
        const pulled: Image = {
          id,
          repoTags: [image.image],
          repoDigests: [`${image.image.split(':')[0]}@${id}`],
          size: 1000n,
          uid: undefined,
          username: '',
          spec: undefined,
          pinned: false,
        };
        for (const name of [image.image, id]) images.set(name, pulled);
        return id;
      },
      remove: async (id) => {
        for (const [name, image] of images) if (image.id === id) images.delete(name);
      },
      fsInfo: async () => ({ images: [], containers: [] }),
      inspect: async (id) => ({ chainID: id }),
    },
    metrics: {
      descriptors: [{ name: 'described', help: 'A metric.', labelKeys: ['one'] }],
      collect: async () => ({
        pod: [metric('described', ['1']), metric('described', []), metric('unknown', ['1'])],
        containers: new Map(),
      }),
    },
    checkpoints: {
      pauseContainer: async (id) => {
        await operation('pauseContainer', id);
        paused.add(id);
      },
      resumeContainer: async (id) => {
        await operation('resumeContainer', id);
        paused.delete(id);
      },
      saveContainer: async (id, file) => {
        await writeFile(file, id);
        await operation('saveContainer', id);
      },
      restoreContainer: async (spec) => {
        await operation('restoreContainer', spec.id);
        return make(spec);
      },
    },
  };
  return backend;
}

function usage(timestamp: bigint) {
  const value = { value: 1n };
  const psi = undefined;
  return {
    cpu: { timestamp, usageCoreNanoSeconds: value, usageNanoCores: value, psi },
    memory: {
      timestamp,
      workingSetBytes: value,
      availableBytes: value,
      usageBytes: value,
      rssBytes: value,
      pageFaults: value,
      majorPageFaults: value,
      psi,
    },
    swap: { timestamp, swapAvailableBytes: value, swapUsageBytes: value },
    writableLayer: { timestamp, fsId: { mountpoint: '/' }, usedBytes: value, inodesUsed: value },
  };
}

function metric(name: string, labelValues: string[]) {
  return { name, timestamp: 0n, metricType: 0, labelValues, value: { value: 1n } };
}

import type { Clock } from '../clock/clock.js';
import type { Backend, BackendHost } from '../engine/backend.js';
import type { Random } from '../random/random.js';

/** How long a simulated runtime takes, in ms. */
export interface Latency {
  readonly runSandbox: number;
  readonly stopSandbox: number;
  readonly createContainer: number;
  /** Until the process runs. */
  readonly startContainer: number;
  /** From then on until the client gets its reply: by then a shell has set its traps. */
  readonly startReply: number;
  /** From a container's start until its process can be over. */
  readonly firstStep: number;
  /** On top of what the process itself takes to end. */
  readonly stopContainer: number;
  /** Until a command that is executed in a container runs. */
  readonly exec: number;
  readonly pull: number;
}

/** What containerd 2.1 took for a real kubelet on two cores, about. */
export const usualLatency: Latency = {
  runSandbox: 80,
  stopSandbox: 40,
  createContainer: 15,
  startContainer: 35,
  startReply: 5,
  firstStep: 30,
  stopContainer: 30,
  exec: 50,
  pull: 500,
};

/** Every time varies by up to this much, either way. */
const SPREAD = 0.2;

/** A backend that takes its time, so that what races in reality races in a simulation too. */
export function withLatency(backend: Backend, clock: Clock, random: Random, latency: Latency): Backend {
  const started = new Map<string, number>();
  const wait = (milliseconds: number, signal?: AbortSignal) =>
    clock.sleep(vary(random, milliseconds), signal);

  const late = (host: BackendHost): BackendHost => ({
    ...host,
    containerExited: (exit) => {
      const readyAt = started.get(exit.containerId) ?? 0;
      started.delete(exit.containerId);
      const rest = readyAt - clock.elapsed();
      if (rest <= 0) return host.containerExited(exit);
      clock.setTimer(rest, () => host.containerExited({ ...exit, finishedAt: clock.now() }));
    },
  });

  return {
    ...backend,
    open: (host) => backend.open(late(host)),
    runSandbox: async (spec, call) => {
      await wait(latency.runSandbox, call.signal);
      return backend.runSandbox(spec, call);
    },
    stopSandbox: async (id, call) => {
      await wait(latency.stopSandbox);
      return backend.stopSandbox(id, call);
    },
    createContainer: async (spec, call) => {
      await wait(latency.createContainer, call.signal);
      return backend.createContainer(spec, call);
    },
    startContainer: async (id, call) => {
      await wait(latency.startContainer, call.signal);
      started.set(id, clock.elapsed() + vary(random, latency.firstStep));
      await backend.startContainer(id, call);
      // Who is gone waits for nothing: what was started is known to run.
      await wait(latency.startReply, call.signal).catch(() => {});
    },
    stopContainer: async (id, stop, call) => {
      await backend.stopContainer(id, stop, call);
      await wait(latency.stopContainer);
    },
    exec: async (containerId, spec, streams, call) => {
      await wait(latency.exec, call.signal);
      return backend.exec(containerId, spec, streams, call);
    },
    images: {
      list: () => backend.images.list(),
      find: (reference) => backend.images.find(reference),
      remove: (id, call) => backend.images.remove(id, call),
      fsInfo: () => backend.images.fsInfo(),
      inspect: (id) => backend.images.inspect(id),
      pull: async (request, call) => {
        await wait(latency.pull, call.signal);
        return backend.images.pull(request, call);
      },
    },
  };
}

const vary = (random: Random, milliseconds: number): number =>
  milliseconds * (1 + SPREAD * (2 * random.next() - 1));

import { type Clock, millisToNanos } from '../../base/clock/clock.js';
import type { Random } from '../../base/random/random.js';
import type { Backend, BackendHost, InjectedExit } from '../engine/backend.js';
import { draw, type Latency, type TimedOperation } from '../profiles/latency/latency.js';

/** Adds latency to a backend's operations, so that real races also happen on a virtual clock. */
export function withLatency(backend: Backend, clock: Clock, random: Random, latency: Latency): Backend {
  const started = new Map<string, number>();
  const timeOf = (operation: TimedOperation): number => draw(latency[operation] ?? [], random);
  const wait = async (operation: TimedOperation, signal?: AbortSignal): Promise<void> => {
    const time = timeOf(operation);
    if (time > 0) await clock.sleep(time, signal);
  };

  /** Functions that report an exit which the runtime has not noticed yet. */
  const waiting = new Map<string, () => void>();
  const late = (host: BackendHost): BackendHost => ({
    ...host,
    containerExited: (exit) => {
      const { containerId } = exit;
      const rest = Math.max(0, (started.get(containerId) ?? 0) - clock.elapsed());
      started.delete(containerId);
      const delay = rest + timeOf('exitReport');
      if (delay <= 0) return host.containerExited(exit);
      const endsAt = clock.elapsed() + rest;
      const finishedAt = exit.finishedAt + millisToNanos(rest);
      const report = () => {
        timer.cancel();
        waiting.delete(containerId);
        // A container that is stopped before `endsAt` ends now.
        host.containerExited({ ...exit, finishedAt: clock.elapsed() < endsAt ? clock.now() : finishedAt });
      };
      const timer = clock.setTimer(delay, report);
      waiting.set(containerId, report);
    },
  });
  /** When a client stops a container, its exit is reported at the end of the operation (`Backend`). */
  const reportNow = (containerId: string) => waiting.get(containerId)?.();
  const { injectExit } = backend;

  return {
    ...backend,
    open: (host) => backend.open(late(host)),
    // The work continues after its client has gone and keeps the name reserved, as in containerd.
    runSandbox: async (spec, call) => {
      await wait('runSandbox');
      return backend.runSandbox(spec, call);
    },
    stopSandbox: async (id, call) => {
      await wait('stopSandbox');
      return backend.stopSandbox(id, call);
    },
    removeSandbox: async (id, call) => {
      await wait('removeSandbox');
      return backend.removeSandbox(id, call);
    },
    createContainer: async (spec, call) => {
      await wait('createContainer');
      return backend.createContainer(spec, call);
    },
    startContainer: async (id, call) => {
      await wait('startContainer', call.signal);
      started.set(id, clock.elapsed() + timeOf('firstStep'));
      await backend.startContainer(id, call);
      // The container runs, but a client that has gone doesn't wait for the reply.
      await wait('startReply', call.signal).catch(() => {});
    },
    stopContainer: async (id, stop, call) => {
      await backend.stopContainer(id, stop, call);
      reportNow(id);
      await wait('stopContainer');
    },
    ...(injectExit && {
      injectExit: async (id: string, exit: InjectedExit) => {
        await injectExit.call(backend, id, exit);
        reportNow(id);
      },
    }),
    removeContainer: async (id, call) => {
      await wait('removeContainer');
      return backend.removeContainer(id, call);
    },
    exec: async (containerId, spec, streams, call) => {
      await wait('exec', call.signal);
      return backend.exec(containerId, spec, streams, call);
    },
    images: {
      list: () => backend.images.list(),
      find: (reference) => backend.images.find(reference),
      remove: (id, call) => backend.images.remove(id, call),
      fsInfo: () => backend.images.fsInfo(),
      inspect: (id) => backend.images.inspect(id),
      pull: async (request, call) => {
        await wait('pull', call.signal);
        return backend.images.pull(request, call);
      },
    },
  };
}

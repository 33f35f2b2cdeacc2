import { setMaxListeners } from 'node:events';
import { someOfInstant } from '../base/clock/instant.js';
import { checkRuntime } from './client/check-runtime.js';
import type { KubeletOptions } from './kubelet-options.js';
import { createParts } from './kubelet-parts.js';
import type { Pod } from './kubernetes/pod.js';
import type { PodApiStatus } from './kubernetes/pod-status.js';
import { collectGarbage } from './runtime/gc.js';
import { rotateLogs } from './runtime/log-manager.js';
import { startPeriodic } from './sync/periodic.js';
import { STATUS_PERIOD } from './sync/runtime-state.js';

export interface Kubelet {
  /** Checks the runtime's version and starts all loops. Rejects when the runtime does not implement CRI v1. */
  start(): Promise<void>;
  /** Stops immediately, like SIGKILL: aborts all calls. Pods keep running. */
  stop(): void;
  pods(): readonly { readonly pod: Pod; readonly status: PodApiStatus | undefined }[];
  readonly isIdle: boolean;
  /** Syncs all pods and collects dead containers now instead of at their intervals. */
  syncNow(): Promise<void>;
  /** Why the sync loop counts as stuck; undefined while it makes progress (health check `syncloop`). */
  syncLoopHealth(): string | undefined;
}

/** In ms (kubelet.go): interval of garbage collection, and limit for one iteration of the sync loop. */
const CONTAINER_GC_PERIOD = 60_000;
const SYNC_LOOP_LIMIT = 5 * 60_000;

export function createKubelet(options: KubeletOptions): Kubelet {
  const { clock, config, files } = options;
  const stopped = new AbortController();
  const { signal } = stopped;
  setMaxListeners(0, signal);
  const log = (message: string) => {
    if (!signal.aborted) options.log?.(message);
  };
  let runtimeName = '';
  const parts = createParts(options, { signal, log, runtimeName: () => runtimeName });
  const { client, pods, plegs, state, queue, probes, resizing, statuses, workers, loop, node } = parts;

  const random = options.random.fork('garbage');
  const collect = () => collectGarbage(parts.runtime, parts.handlers.isUnwanted);
  const { containerLogMaxSize: maxSize, containerLogMaxFiles: maxFiles } = config;
  const rotate = () => rotateLogs({ clock, client, files, maxSize, maxFiles, log });
  const periodic = { clock, signal, log };
  let endSource = () => {};
  return {
    start: async () => {
      runtimeName = await checkRuntime(client, clock);
      startPeriodic(periodic, STATUS_PERIOD, 'now', state.refresh);
      plegs.start();
      startPeriodic(periodic, CONTAINER_GC_PERIOD, 'now', async () => {
        // Housekeeping at this instant may find more removed pods.
        await someOfInstant(clock, random);
        await collect();
      });
      startPeriodic(periodic, config.containerLogMonitorInterval, 'later', rotate);
      node.start();
      loop.start();
      endSource = options.podSource.start((wanted) => loop.config(wanted));
    },
    stop: () => {
      stopped.abort();
      endSource();
      plegs.stop();
      loop.stop();
      workers.stop();
      node.stop();
      probes.cleanUp(new Set());
      resizing.stop();
    },
    get isIdle() {
      return workers.isIdle;
    },
    syncNow: async () => {
      for (const uid of pods.keys()) if (workers.state(uid) !== undefined) queue.enqueue(uid, 0);
      await collect().catch((error: Error) => log(error.message));
    },
    pods: () => [...pods.values()].map((pod) => ({ pod, status: statuses.get(pod.metadata.uid) })),
    syncLoopHealth: () => {
      const age = clock.elapsed() - (loop.lastIteration ?? clock.elapsed());
      const limit = Math.max(2 * config.syncFrequency, SYNC_LOOP_LIMIT);
      return age <= limit ? undefined : 'sync Loop took longer than expected';
    },
  };
}

import type { Clock } from '../../base/clock/clock.js';
import { memoryBytes } from '../../base/input/quantity.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { Volume } from '../kubernetes/volumes.js';
import type { Recorder } from '../types/ports.js';
import { startPeriodic } from './periodic.js';

/** evictionMonitoringPeriod (kubelet.go), in ms. */
const PERIOD = 10_000;
/** volumeStatsAggPeriod in ms, after which a volume is measured again; without its jitter. */
const MEASURED_FOR = 60_000;
/** immediateEvictionGracePeriodSeconds (eviction_manager.go). */
const GRACE = 1;
/** SystemCriticalPriority: the kubelet never evicts pods of this priority (IsCriticalPod). */
const CRITICAL = 2_000_000_000;

export interface LocalStorageOptions {
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
  readonly log: (message: string) => void;
  /** Bytes on disk. */
  readonly usage: (uid: string, volume: Volume) => Promise<bigint>;
  readonly pods: () => Iterable<Pod>;
  /** `grace` is in seconds. */
  readonly kill: (pod: Pod, grace: number) => void;
}

/** Ends pods whose emptyDir volumes exceed their size limit (eviction_manager.go localStorageEviction). */
export interface LocalStorage {
  watch(pod: Pod): void;
  /** Undefined unless the pod was evicted. */
  evicted(pod: Pod): Pick<PodApiStatus, 'reason' | 'message'> | undefined;
}

export function createLocalStorage(options: LocalStorageOptions): LocalStorage {
  const { clock, recorder, usage, pods, kill } = options;
  const messages = new Map<string, string>();
  const measured = new Map<string, number>();
  let isRunning = false;

  const evict = (pod: Pod, message: string): void => {
    messages.set(pod.metadata.uid, message);
    recorder.event(pod, 'Warning', 'Evicted', message);
    kill(pod, GRACE);
  };

  const look = async (pod: Pod): Promise<void> => {
    const { uid } = pod.metadata;
    if (messages.has(uid) || clock.elapsed() - (measured.get(uid) ?? -MEASURED_FOR) < MEASURED_FOR) return;
    for (const { volume, limit } of limitsOf(pod)) {
      measured.set(uid, clock.elapsed());
      const used = await usage(uid, volume);
      if (used <= (memoryBytes(limit) ?? 0n)) continue;
      evict(pod, `Usage of EmptyDir volume "${volume.name}" exceeds the limit "${limit}". `);
      return;
    }
  };

  const pass = async (): Promise<void> => {
    const now = [...pods()];
    const uids = new Set(now.map(({ metadata }) => metadata.uid));
    for (const known of [messages, measured])
      for (const uid of known.keys()) if (!uids.has(uid)) known.delete(uid);
    for (const pod of now) await look(pod);
  };

  return {
    watch: (pod) => {
      if (isRunning || limitsOf(pod).length === 0) return;
      isRunning = true;
      startPeriodic(options, PERIOD, 'later', pass);
    },
    evicted: ({ metadata }) => {
      const message = messages.get(metadata.uid);
      return message === undefined ? undefined : { reason: 'Evicted', message };
    },
  };
}

/** emptyDirs with a size limit. One in memory never exceeds it: its file system is full before. */
const limitsOf = ({ spec, source }: Pod) =>
  (spec.priority ?? 0) >= CRITICAL || source === 'file'
    ? []
    : spec.volumes.flatMap((volume) => {
        const { sizeLimit, medium = '' } = volume.emptyDir ?? {};
        const limit = sizeLimit === undefined ? '' : String(sizeLimit);
        return medium === '' && (memoryBytes(limit) ?? 0n) > 0n ? [{ volume, limit }] : [];
      });

import type { Clock } from '../../base/clock/clock.js';
import { bytesText, memoryBytes } from '../../base/input/quantity.js';
import type { Pod } from '../kubernetes/pod.js';
import type { PodApiStatus } from '../kubernetes/pod-status.js';
import type { Volume } from '../kubernetes/volumes.js';
import { podLimits } from '../resources/requests.js';
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
  /** Bytes on disk of running containers: their writable layers and logs. */
  readonly containers: (pod: Pod) => Promise<readonly Stored[]>;
  readonly pods: () => Iterable<Pod>;
  /** `grace` is in seconds. */
  readonly kill: (pod: Pod, grace: number) => void;
}

interface Stored {
  readonly name: string;
  readonly bytes: bigint;
}

/** Ends pods that exceed their limits of local storage (eviction_manager.go localStorageEviction). */
export interface LocalStorage {
  watch(pod: Pod): void;
  /** Undefined unless the pod was evicted. */
  evicted(pod: Pod): Pick<PodApiStatus, 'reason' | 'message'> | undefined;
}

export function createLocalStorage(options: LocalStorageOptions): LocalStorage {
  const { clock, recorder, pods, kill } = options;
  const messages = new Map<string, string>();
  const measured = new Map<string, { readonly at: number; readonly volumes: readonly Stored[] }>();
  let isRunning = false;

  const volumesOf = async ({ metadata: { uid }, spec }: Pod): Promise<readonly Stored[]> => {
    const { at, volumes } = measured.get(uid) ?? { at: -MEASURED_FOR, volumes: [] };
    if (clock.elapsed() - at < MEASURED_FOR) return volumes;
    const own = spec.volumes.filter(({ emptyDir }) => emptyDir !== undefined && !isInMemory(emptyDir));
    const now = { at: clock.elapsed(), volumes: await storedIn(own, (each) => options.usage(uid, each)) };
    measured.set(uid, now);
    return now.volumes;
  };

  const excessOf = async (pod: Pod): Promise<string | undefined> => {
    const volumes = await volumesOf(pod);
    for (const { name, limit } of volumeLimits(pod))
      if (exceeds(volumes, name, limit))
        return `Usage of EmptyDir volume "${name}" exceeds the limit "${limit}". `;
    const limits = containerLimits(pod);
    if (limits.length === 0) return undefined;
    const containers = await options.containers(pod);
    const all = [...volumes, ...containers].reduce((sum, { bytes }) => sum + bytes, 0n);
    const most = podLimits(pod).get(STORAGE) ?? 0;
    if (all > BigInt(most))
      return `Pod ephemeral local storage usage exceeds the total limit of containers ${limits.length === 1 ? limits[0]?.limit : bytesText(most)}. `;
    const one = limits.find(({ name, limit }) => exceeds(containers, name, limit));
    return one && `Container ${one.name} exceeded its local ephemeral storage limit "${one.limit}". `;
  };

  const look = async (pod: Pod): Promise<void> => {
    const { uid } = pod.metadata;
    const message = messages.has(uid) || !isLimited(pod) ? undefined : await excessOf(pod);
    if (message === undefined) return;
    messages.set(uid, message);
    recorder.event(pod, 'Warning', 'Evicted', message);
    kill(pod, GRACE);
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
      if (isRunning || !isLimited(pod)) return;
      isRunning = true;
      startPeriodic(options, PERIOD, 'later', pass);
    },
    evicted: ({ metadata }) => {
      const message = messages.get(metadata.uid);
      return message === undefined ? undefined : { reason: 'Evicted', message };
    },
  };
}

const STORAGE = 'ephemeral-storage';

interface Limit {
  readonly name: string;
  /** As written. */
  readonly limit: string;
}

const isLimited = (pod: Pod): boolean =>
  (pod.spec.priority ?? 0) < CRITICAL &&
  pod.source !== 'file' &&
  volumeLimits(pod).length + containerLimits(pod).length > 0;

const isInMemory = ({ medium = '' }: NonNullable<Volume['emptyDir']>): boolean => medium !== '';

/** Returns emptyDirs with a size limit. One in memory never exceeds it, because its file system is full first. */
const volumeLimits = ({ spec }: Pod): Limit[] =>
  spec.volumes.flatMap(({ name, emptyDir }) =>
    emptyDir === undefined || isInMemory(emptyDir) ? [] : limitOf(name, emptyDir.sizeLimit),
  );

const containerLimits = ({ spec }: Pod): Limit[] =>
  [...spec.initContainers, ...spec.containers].flatMap(({ name, resources }) =>
    limitOf(name, resources.limits[STORAGE]),
  );

const limitOf = (name: string, limit: string | number = ''): Limit[] =>
  (memoryBytes(String(limit)) ?? 0n) > 0n ? [{ name, limit: String(limit) }] : [];

const exceeds = (stored: readonly Stored[], of: string, limit: string): boolean =>
  (stored.find(({ name }) => name === of)?.bytes ?? 0n) > (memoryBytes(limit) ?? 0n);

const storedIn = (
  volumes: readonly Volume[],
  usage: (volume: Volume) => Promise<bigint>,
): Promise<Stored[]> =>
  Promise.all(volumes.map(async (volume) => ({ name: volume.name, bytes: await usage(volume) })));

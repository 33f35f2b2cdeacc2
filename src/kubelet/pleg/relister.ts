import type { Clock } from '../../base/clock/clock.js';
import { restOfInstant } from '../../base/clock/instant.js';
import type { RuntimeClient } from '../client/client.js';
import { errorText } from '../client/errors.js';
import { type ContainerOrder, createPodLister, type ListedPod, listPods } from '../client/list-pods.js';
import type { PlegMetrics } from './metrics.js';
import { createPodRecords, type PodRecordsOptions } from './pod-records.js';

export interface RelisterOptions extends PodRecordsOptions {
  readonly clock: Clock;
  readonly client: RuntimeClient;
  /** Order in which a pod's containers are compared and inspected. */
  readonly order: ContainerOrder;
}

export interface Relister {
  /** Start of the last successful relist, in Unix nanoseconds. */
  readonly relistTime: bigint | undefined;
  /** Makes the next relist inspect this pod, even if nothing changed. */
  inspectAgain(uid: string): void;
  relistAll(): Promise<void>;
  /** Relists one pod by its label; only a full relist detects that a pod is gone. Ignores outdated requests. */
  relistPod(uid: string, requested: bigint): Promise<void>;
}

/** Functions of a relister never reject: errors are logged, and the next call tries again. */
export function createRelister(options: RelisterOptions): Relister {
  const { clock, client, order, cache, metrics, log, report } = options;
  const records = createPodRecords(options);
  const { reinspect, reconcile } = records;
  const listAll = createPodLister(client, order);
  let relistTime: bigint | undefined;
  let listed: ReadonlyMap<string, ListedPod> | undefined;

  const relistAll = async (): Promise<void> => {
    if (relistTime !== undefined) metrics.relistInterval(seconds(clock.now() - relistTime));
    const begun = clock.elapsed();
    const ts = cache.stamp();
    try {
      const pods = await listAll();
      relistTime = ts;
      if (pods !== listed) updateRunningPodAndContainerMetrics(metrics, pods);
      if (pods !== listed || reinspect.size > 0) {
        // A probe that is due in this instant must still see the old status.
        await restOfInstant(clock);
        for (const uid of new Set([...records.uids(), ...pods.keys()]))
          await reconcile(uid, pods.get(uid), ts);
        const isDone = reinspect.size === 0;
        await records.reinspectRest(pods, ts);
        listed = isDone && reinspect.size === 0 ? pods : undefined;
      }
      cache.updateTime(ts);
    } catch (error) {
      const text = errorText(error);
      report({ state: 'list-failed', text });
      log(`GenericPLEG: Unable to retrieve pods: ${text}`);
    } finally {
      metrics.relistDuration((clock.elapsed() - begun) / 1000);
    }
  };

  const relistPod = async (uid: string, requested: bigint): Promise<void> => {
    if (relistTime !== undefined && requested < relistTime) return;
    const begun = clock.elapsed();
    const ts = cache.stamp();
    try {
      const pod = (await listPods(client, { uid })).get(uid);
      if (pod === undefined) throw new Error('pod sandboxes not found');
      listed = undefined;
      await reconcile(uid, pod, ts);
      cache.setObservedTime(uid, ts);
    } catch (error) {
      log(`GenericPLEG: Unable to retrieve pod ${uid}: ${errorText(error)}`);
    } finally {
      metrics.podRelistDuration((clock.elapsed() - begun) / 1000);
    }
  };

  return {
    get relistTime() {
      return relistTime;
    },
    inspectAgain: records.inspectAgain,
    relistAll,
    relistPod,
  };
}

function updateRunningPodAndContainerMetrics(
  metrics: PlegMetrics,
  pods: ReadonlyMap<string, ListedPod>,
): void {
  const counts = new Map<ListedPod['containers'][number]['state'], number>();
  let sandboxes = 0;
  for (const pod of pods.values()) {
    if (pod.sandboxes.some(({ ready }) => ready)) sandboxes++;
    for (const { state } of pod.containers) counts.set(state, (counts.get(state) ?? 0) + 1);
  }
  metrics.runningPods(sandboxes);
  for (const [state, count] of counts) metrics.runningContainers(state, count);
}

const seconds = (nanos: bigint): number => Number(nanos) / 1e9;

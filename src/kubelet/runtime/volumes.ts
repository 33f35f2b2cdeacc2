import type { Pod, VolumeSource } from '../types.js';
import type { RuntimeContext } from './context.js';
import { valueOfField } from './downward-api.js';
import { valueOfResource } from './environment.js';
import { dataOf } from './kube-objects.js';

/** First and last pause between attempts of one volume (nestedpendingoperations), and what a sync waits, in ms. */
const FIRST_PAUSE = 500;
const LAST_PAUSE = 122_000;
const LONGEST_WAIT = 123_000;

/**
 * WaitForAttachAndMount (volumemanager): fills the volumes that have files from the API. An object that is missing is
 * waited for; throws after two minutes, or when the pod is being terminated.
 */
export async function setUpVolumes(
  context: RuntimeContext,
  pod: Pod,
  isTerminating: () => boolean,
): Promise<void> {
  const begun = context.clock.elapsed();
  for (const { name, sources } of pod.spec.volumes) {
    if (sources === undefined) continue;
    for (let pause = FIRST_PAUSE; ; pause = Math.min(LAST_PAUSE, pause * 2)) {
      const problem = await fill(context, pod, name, sources);
      if (problem === undefined) break;
      const { recorder, clock } = context;
      recorder.event(
        pod,
        'Warning',
        'FailedMount',
        `MountVolume.SetUp failed for volume "${name}" : ${problem}`,
      );
      if (isTerminating() || clock.elapsed() - begun + pause > LONGEST_WAIT) {
        throw new Error(
          `unmounted volumes=[${name}], unattached volumes=[], failed to process volumes=[]: context deadline exceeded`,
        );
      }
      await clock.sleep(pause);
    }
  }
}

/** What went wrong; undefined when the files are there. */
async function fill(
  { files, objects, hostIp, allocatable }: RuntimeContext,
  pod: Pod,
  volume: string,
  sources: readonly VolumeSource[],
): Promise<string | undefined> {
  const { namespace, uid } = pod.metadata;
  try {
    for (const source of sources) {
      if (source.kind === 'downward') {
        for (const { path, fieldPath, source: resource } of source.items) {
          const text =
            resource === undefined
              ? valueOfField(fieldPath ?? '', pod, [], hostIp)
              : valueOfResource(resource, { pod, allocatable });
          await files.writeVolume(uid, volume, path, Buffer.from(text));
        }
        continue;
      }
      const data = await dataOf(objects, namespace, source);
      const items = source.items ?? [...data.keys()].map((key) => ({ key, path: key }));
      for (const { key, path } of items) {
        const content = data.get(key);
        if (content !== undefined) await files.writeVolume(uid, volume, path, content);
        else if (!source.optional) return 'references non-existent config key: '.concat(key);
      }
    }
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

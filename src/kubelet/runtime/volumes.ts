import { valueOfField } from '../cri-configs/downward-api.js';
import { valueOfResource } from '../cri-configs/environment.js';
import type { VolumeFile } from '../disk/files.js';
import { dataOf, type KubeObjects } from '../kube-objects.js';
import type { Pod } from '../kubernetes/pod.js';
import { defaultModeOf, sourcesOf, type Volume, type VolumeProjection } from '../kubernetes/volumes.js';
import type { RuntimeContext } from './context.js';

/** In ms: first and last pause between attempts (nestedpendingoperations), and how long a sync waits. */
const FIRST_PAUSE = 500;
const LAST_PAUSE = 122_000;
const LONGEST_WAIT = 123_000;
/** In ms: how often the manager looks for pods and volumes, and how often a sync checks that all are mounted. */
const LOOP = 100;
const POLL = 300;

export interface VolumeManager {
  /**
   * WaitForAttachAndMount: writes the volumes with files from the API, in every sync, because objects change and tokens
   * expire. Waits for missing objects; throws after two minutes, or when the pod is being terminated.
   */
  setUp(pod: Pod, isTerminating: () => boolean): Promise<void>;
  /** Unmounts the volumes of an ended pod and removes the contents of its directories (TearDown of their plugins). */
  tearDown(uid: string): Promise<void>;
}

export function createVolumeManager(context: RuntimeContext): VolumeManager {
  const { clock } = context;
  const mounted = new Set<string>();
  return {
    setUp: async (pod, isTerminating) => {
      const volumes = mountedVolumes(pod);
      if (volumes.length === 0) return;
      const { uid } = pod.metadata;
      const isNew = !mounted.has(uid);
      const begun = clock.elapsed();
      if (isNew) await clock.sleep(LOOP);
      for (const volume of volumes) await setUp(context, pod, volume, { begun, isTerminating });
      if (isNew) await clock.sleep(POLL - ((clock.elapsed() - begun) % POLL));
      mounted.add(uid);
    },
    tearDown: async (uid) => {
      if (mounted.delete(uid)) await context.files.removeVolumes(uid).catch(() => {});
    },
  };
}

/** Volumes that containers mount; others are ignored (desired_state_of_world_populator.go processPodVolumes). */
function mountedVolumes({ spec }: Pod): Volume[] {
  const containers = [...spec.initContainers, ...spec.containers, ...(spec.ephemeralContainers ?? [])];
  const names = new Set(containers.flatMap(({ volumeMounts }) => volumeMounts.map(({ name }) => name)));
  return spec.volumes.filter(({ name }) => names.has(name));
}

interface Waiting {
  /** When the sync began to wait, as the clock's `elapsed`. */
  readonly begun: number;
  readonly isTerminating: () => boolean;
}

async function setUp(
  context: RuntimeContext,
  pod: Pod,
  volume: Volume,
  { begun, isTerminating }: Waiting,
): Promise<void> {
  const { recorder, clock } = context;
  const { name } = volume;
  const sources = sourcesOf(volume);
  if (sources === undefined) return;
  for (let pause = FIRST_PAUSE; ; pause = Math.min(LAST_PAUSE, pause * 2)) {
    const problem = await fill(context, pod, volume, sources);
    if (problem === undefined) return;
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

/** Returns the error; undefined when the files were written. */
async function fill(
  context: RuntimeContext,
  pod: Pod,
  volume: Volume,
  sources: readonly VolumeProjection[],
): Promise<string | undefined> {
  try {
    const payload = new Map<string, VolumeFile>();
    for (const source of sources)
      for (const [path, content, mode] of await filesOf(context, pod, source))
        payload.set(path, { content, mode: mode ?? defaultModeOf(volume) });
    const { uid, namespace } = pod.metadata;
    const owner = { uid, namespace, fsGroup: pod.spec.securityContext.fsGroup };
    await context.files.writeVolume(owner, volume, payload, context.clock.now());
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

type Files = readonly (readonly [path: string, content: Buffer, mode?: number | null | undefined])[];

async function filesOf(
  { objects, hostIp, allocatable }: RuntimeContext,
  pod: Pod,
  { configMap, secret, downwardAPI, serviceAccountToken: token }: VolumeProjection,
): Promise<Files> {
  if (token !== undefined) return [[token.path, await objects.token(pod, token)]];
  if (configMap !== undefined) return keysOf(objects, 'configMap', pod, configMap);
  if (secret !== undefined) return keysOf(objects, 'secret', pod, secret);
  return (downwardAPI?.items ?? []).map(({ path, mode, fieldRef, resourceFieldRef: resource }) => {
    const text =
      resource === undefined
        ? valueOfField(fieldRef?.fieldPath ?? '', pod, [], hostIp)
        : valueOfResource(resource, { pod, allocatable });
    return [path, Buffer.from(text), mode];
  });
}

async function keysOf(
  objects: KubeObjects,
  kind: 'configMap' | 'secret',
  pod: Pod,
  source: NonNullable<VolumeProjection['configMap']>,
): Promise<Files> {
  const data = await dataOf(objects, kind, pod.metadata.namespace, source);
  if (source.items === undefined) return [...data];
  return source.items.flatMap(({ key, path, mode }) => {
    const content = data.get(key);
    if (content !== undefined) return [[path, content, mode] as const];
    if (source.optional) return [];
    throw new Error(`references non-existent ${kind === 'secret' ? 'secret' : 'config'} key: ${key}`);
  });
}

import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { noFiles } from '../disk/files.js';
import { noObjects } from '../kube-objects.js';
import type { VolumeProjection } from '../kubernetes/volumes.js';
import { createVolumeManager } from './volumes.js';

function setup(sources: readonly VolumeProjection[], mounts = ['config']) {
  const data = new Map([['known', new Map([['a', Buffer.from('A')]])]]);
  const written: string[] = [];
  const { clock, context, events } = runtimeRig(
    {},
    {
      objects: {
        ...noObjects,
        data: async (_, __, name) => data.get(name),
        token: async ({ metadata }, { audience }) => Buffer.from(`token of ${metadata.name} for ${audience}`),
      },
      files: {
        ...noFiles,
        writeVolume: async (_, volume, files) => {
          for (const [path, { content }] of files) written.push(`${volume.name}/${path}=${content}`);
        },
      },
    },
  );
  const pod = aPod({
    volumes: [{ name: 'empty' }, { name: 'config', projected: { sources, defaultMode: 0o644 } }],
    containers: [
      aContainer({ volumeMounts: mounts.map((name) => ({ name, mountPath: `/${name}`, readOnly: false })) }),
    ],
  });
  const volumes = createVolumeManager(context);
  const begin = () => clock.run(() => volumes.setUp(pod, () => false));
  /** How long the next sync waits, in ms. */
  const duration = async () => {
    const begun = clock.elapsed();
    let took: number | undefined;
    const done = begin().then(() => {
      took = clock.elapsed() - begun;
    });
    await clock.advance(1000);
    await done;
    return took;
  };
  return { clock, data, written, events, pod, volumes, begin, duration };
}

test('fills a volume with the keys of an object and fields of the pod', async () => {
  const { written, duration } = setup([
    { configMap: { name: 'known', optional: false } },
    { secret: { name: 'known', optional: false, items: [{ key: 'a', path: 'sub/b' }] } },
    { secret: { name: 'missing', optional: true } },
    {
      downwardAPI: { items: [{ path: 'name', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } }] },
    },
    { serviceAccountToken: { audience: 'vault', expirationSeconds: 600, path: 'token' } },
  ]);
  await duration();
  expect(written).toEqual([
    'config/a=A',
    'config/sub/b=A',
    'config/name=web',
    'config/token=token of web for vault',
  ]);
});

test('waits for an object that is missing, with an event for each attempt', async () => {
  const { clock, data, written, events, begin } = setup([{ configMap: { name: 'late', optional: false } }]);
  const done = begin();
  await clock.advance(2000);
  expect(events).toEqual(
    Array(3).fill('FailedMount: MountVolume.SetUp failed for volume "config" : configmap "late" not found'),
  );
  data.set('late', new Map([['a', Buffer.from('now')]]));
  await clock.advance(10_000);
  await done;
  expect(written).toEqual(['config/a=now']);
});

test('gives up after two minutes', async () => {
  const { clock, begin } = setup([{ secret: { name: 'never', optional: false } }]);
  const done = expect(begin()).rejects.toThrow('unmounted volumes=[config]');
  await clock.advance(130_000);
  await done;
});

test('the first sync waits for the loops that find a pod and mount its volumes, and the next ones do not', async () => {
  const { duration, pod, volumes } = setup([{ configMap: { name: 'known', optional: false } }], ['empty']);
  expect([await duration(), await duration()]).toEqual([300, 0]);
  await volumes.tearDown(pod.metadata.uid);
  expect(await duration()).toBe(300);
});

test('a volume that no container mounts is not set up, and not waited for', async () => {
  const { duration, events } = setup([{ configMap: { name: 'never', optional: false } }], []);
  expect(await duration()).toBe(0);
  expect(events).toEqual([]);
});

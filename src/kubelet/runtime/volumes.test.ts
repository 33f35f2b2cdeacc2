import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import type { VolumeProjection } from '../../kubernetes/volumes.js';
import { noFiles } from '../disk/files.js';
import { noObjects } from '../kube-objects.js';
import { setUpVolumes } from './volumes.js';

function setup(sources: readonly VolumeProjection[]) {
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
          for (const [path, content] of files) written.push(`${volume.name}/${path}=${content}`);
        },
      },
    },
  );
  const pod = aPod({ volumes: [{ name: 'empty' }, { name: 'config', projected: { sources } }] });
  const begin = () => clock.run(() => setUpVolumes(context, pod, () => false));
  return { clock, data, written, events, begin };
}

test('fills a volume with the keys of an object and fields of the pod', async () => {
  const { written, begin } = setup([
    { configMap: { name: 'known', optional: false } },
    { secret: { name: 'known', optional: false, items: [{ key: 'a', path: 'sub/b' }] } },
    { secret: { name: 'missing', optional: true } },
    { downwardAPI: { items: [{ path: 'name', fieldRef: { fieldPath: 'metadata.name' } }] } },
    { serviceAccountToken: { audience: 'vault', expirationSeconds: 600, path: 'token' } },
  ]);
  await begin();
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

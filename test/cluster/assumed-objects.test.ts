import { afterEach, expect, test } from 'vitest';
import { clusterRig, PODS, podOf } from '../support/cluster/cluster-rig.js';

const { setup, close } = clusterRig();
afterEach(close);

const ACCOUNT = 'system:serviceaccount:default:maker';

/** A pod that needs a missing Secret. */
const needy = podOf('needy', {
  volumes: [{ name: 'files', secret: { secretName: 'made-later' } }],
  containers: [
    {
      name: 'app',
      image: 'example.com/app:1',
      env: [{ name: 'PASSWORD', valueFrom: { secretKeyRef: { name: 'made-later', key: 'password' } } }],
      volumeMounts: [{ name: 'files', mountPath: '/files' }],
    },
  ],
});
const maker = podOf('maker', {
  serviceAccountName: 'maker',
  containers: [{ name: 'app', image: 'example.com/maker:1' }],
});

const phase = async (unknownImages: 'run' | 'fail', mayCreate: string, pods: readonly object[]) => {
  const { clock, api, log } = await setup({ memory: { unknownImages } });
  api.grant(mayCreate);
  for (const pod of pods) api.put(PODS, pod);
  await clock.advance(60_000);
  return { phase: api.get(`${PODS}/needy`)?.status.phase, log };
};

test("a Secret that an unknown image's program may create gets placeholder data, and the log says so", async () => {
  const { phase: found, log } = await phase('run', ACCOUNT, [needy, maker]);
  expect(found).toBe('Running');
  expect(log).toEqual([
    'secret default/made-later does not exist; pods get placeholder data, because system:serviceaccount:default:maker may create it',
  ]);
});

test('so does one that a removed pod of a Job should have created, as with ingress-nginx', async () => {
  const { clock, api } = await setup({ memory: { unknownImages: 'run' } });
  api.grant(ACCOUNT);
  api.put(PODS, maker);
  await clock.advance(5000);
  api.remove(`${PODS}/maker`);
  await clock.advance(5000);
  api.put(PODS, needy);
  await clock.advance(60_000);
  expect(api.get(`${PODS}/needy`)?.status.phase).toBe('Running');
});

test.each([
  ['no pod here may make it', 'run', ACCOUNT, [needy]],
  ['its account may not', 'run', 'system:serviceaccount:default:other', [needy, maker]],
  ['containers of unknown images fail', 'fail', ACCOUNT, [needy, maker]],
] as const)('a Secret that is not there stays so: %s', async (_, unknownImages, mayCreate, pods) => {
  expect((await phase(unknownImages, mayCreate, pods)).phase).toBe('Pending');
});

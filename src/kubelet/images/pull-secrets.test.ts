import { expect, test } from 'vitest';
import { aPod } from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { createRecorder } from '../events/recorder.js';
import { type KubeObjects, noObjects } from '../kube-objects.js';
import { pullCredentials, warnOfMissingSecrets } from './pull-secrets.js';

const encoded = Buffer.from('user:pass:word').toString('base64');
const auths = {
  'https://index.docker.io/v1/': { auth: encoded },
  'quay.io': { username: 'q', password: 'p' },
  'quay.io/team': { username: 'team', password: 'p' },
};
const objects: KubeObjects = {
  ...noObjects,
  data: async (_, __, name) =>
    name === 'known' ? new Map([['.dockerconfigjson', Buffer.from(JSON.stringify({ auths }))]]) : undefined,
};

async function usersFor(image: string, imagePullSecrets = ['known']) {
  const events: string[] = [];
  const recorder = createRecorder(createVirtualClock(), ({ message }) => events.push(message));
  const pod = aPod({ imagePullSecrets: imagePullSecrets.map((name) => ({ name })) });
  const found = await pullCredentials(objects, pod, image);
  await warnOfMissingSecrets(objects, recorder, pod);
  return { users: found.map(({ auth: { username } }) => username), found, events };
}

test.each([
  ['nginx:1', ['user']],
  ['library/nginx', ['user']],
  ['quay.io/other/image:1', ['q']],
  ['quay.io/team/image:1', ['team', 'q']],
  ['quay.io.evil.example/x', []],
  ['registry.k8s.io/pause', []],
])('credentials for %s are those of %j', async (image, users) => {
  expect((await usersFor(image)).users).toEqual(users);
});

test('a password can have a colon', async () => {
  expect((await usersFor('nginx')).found[0]?.auth).toMatchObject({ password: 'pass:word' });
});

test('a secret that is missing is an event', async () => {
  const { users, events } = await usersFor('nginx', ['gone', 'known', 'lost']);
  expect(users).toEqual(['user']);
  expect(events).toEqual([
    'Unable to retrieve some image pull secrets (gone, lost); attempting to pull the image may not succeed.',
  ]);
});

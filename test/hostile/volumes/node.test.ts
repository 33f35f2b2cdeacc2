import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { clusterRig, PODS, podOf } from '../../support/cluster/cluster-rig.js';
import { useTemporaryDirectories } from '../../support/temporary.js';

const temporary = useTemporaryDirectories();
const { setup, close } = clusterRig();
afterEach(close);

const NAMESPACE = '/api/v1/namespaces/default';

/** A directory of the machine that no pod was given. */
function outside(): string {
  const directory = temporary();
  mkdirSync(join(directory, 'sub'));
  writeFileSync(join(directory, 'secret'), 'secret');
  chmodSync(join(directory, 'secret'), 0o600);
  return directory;
}

/** What must be as before. */
const picture = (directory: string) => ({
  names: readdirSync(directory, { recursive: true }).sort(),
  secret: readFileSync(join(directory, 'secret'), 'utf8'),
  mode: statSync(join(directory, 'secret')).mode & 0o777,
});

const container = (name: string, script: string, mount: object) => ({
  name,
  image: 'busybox:1',
  command: ['sh', '-c', script],
  env: [{ name: 'WAY', value: 'way' }],
  volumeMounts: [{ name: 'files', mountPath: '/files', ...mount }],
});

it.each([
  ['a file', '', { subPath: 'way/secret' }],
  ['a directory', '', { subPath: 'way' }],
  ['a directory that is made', '', { subPath: 'way/new/deep' }],
  ['an expression', '', { subPathExpr: '$(WAY)' }],
  ['a link at the end', '/secret', { subPath: 'way' }],
  ['a link to itself', '/../way', { subPath: 'way/x' }],
])('a link from an init container cannot move a mount out of a volume: %s', async (_, more, mount) => {
  const { clock, api } = await setup();
  const directory = outside();
  const before = picture(directory);
  const reads = 'cat /files /files/secret; echo x > /files/planted; echo x > /files; chmod 777 /files/secret';
  api.put(
    PODS,
    podOf('escape', {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', emptyDir: {} }],
      initContainers: [container('plant', `ln -s ${directory}${more} /files/way`, {})],
      containers: [container('reader', `${reads}; true`, mount)],
    }),
  );
  await clock.advance(30_000);
  expect(picture(directory)).toEqual(before);
  const [reader] = api.get(`${PODS}/escape`)?.status.containerStatuses ?? [];
  expect(reader?.state?.waiting).toMatchObject({
    reason: 'CreateContainerConfigError',
    message: expect.stringMatching(
      /^failed to prepare subPath for volumeMount "files" of container "reader": /,
    ),
  });
  expect(reader?.state?.waiting?.message).not.toContain('/tmp');
});

it('a link that stays in the volume is followed', async () => {
  const { clock, api } = await setup();
  api.put(
    PODS,
    podOf('inside', {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', emptyDir: {} }],
      initContainers: [
        container('plant', 'mkdir -p /files/a/b; echo yes > /files/a/b/c; ln -s ../a/b /files/a/l', {}),
      ],
      containers: [container('reader', 'grep yes /files', { subPath: 'a/l/c' })],
    }),
  );
  await clock.advance(30_000);
  expect(api.get(`${PODS}/inside`)?.status.phase).toBe('Succeeded');
});

it.each([
  ['configMap', { configMap: { name: 'colors' } }],
  ['secret', { secret: { secretName: 'colors' } }],
  ['projected', { projected: { sources: [{ configMap: { name: 'colors' } }] } }],
])('a volume of type %s is read-only, and its files are written nowhere else', async (_, volume) => {
  const { clock, api } = await setup();
  const directory = outside();
  const before = picture(directory);
  const write = (color: string) => {
    api.put(`${NAMESPACE}/configmaps`, { metadata: { name: 'colors' }, data: { secret: color } });
    const data = { secret: Buffer.from(color).toString('base64') };
    api.put(`${NAMESPACE}/secrets`, { metadata: { name: 'colors' }, data });
  };
  write('blue');
  const swap = [
    'cd /files; rm -rf secret ..data; mv secret other; chmod 777 . secret',
    `ln -s ${directory}/secret secret; ln -s ${directory} ..data; ln -s ${directory} ..data_tmp`,
    'echo green > secret; echo green > new',
    'sleep 100; grep -q red secret && [ -L secret ] && [ ! -e new ]',
  ].join('; ');
  api.put(
    PODS,
    podOf('swap', {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', ...volume }],
      containers: [container('app', swap, {})],
    }),
  );
  await clock.advance(10_000);
  write('red');
  await clock.advance(150_000);
  expect(picture(directory)).toEqual(before);
  expect(api.get(`${PODS}/swap`)?.status.phase).toBe('Succeeded');
});

it('a subPath of a ConfigMap stays as it was at the mount', async () => {
  const { clock, api } = await setup();
  const write = (color: string) =>
    api.put(`${NAMESPACE}/configmaps`, { metadata: { name: 'colors' }, data: { color } });
  write('blue');
  api.put(
    PODS,
    podOf('part', {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', configMap: { name: 'colors' } }],
      containers: [container('app', 'sleep 150; grep -q blue /files', { subPath: 'color' })],
    }),
  );
  await clock.advance(10_000);
  write('red');
  await clock.advance(200_000);
  expect(api.get(`${PODS}/part`)?.status.phase).toBe('Succeeded');
});

it('a hostPath volume is an empty directory of the pod, in a static pod, too', async () => {
  const directory = outside();
  const manifests = temporary();
  const before = picture(directory);
  writeFileSync(
    join(manifests, 'pod.json'),
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'host', namespace: 'default' },
      spec: {
        restartPolicy: 'Never',
        volumes: [{ name: 'files', hostPath: { path: directory } }],
        containers: [container('app', '[ -z "$(ls /files)" ]; echo x > /files/planted', {})],
      },
    }),
  );
  const { clock, api } = await setup({ staticPodPath: manifests });
  await clock.advance(60_000);
  expect(picture(directory)).toEqual(before);
  expect(api.get(`${PODS}/host-mock-0`)?.status.phase).toBe('Succeeded');
});

it('a link instead of the termination message is not followed', async () => {
  const { clock, api } = await setup();
  const directory = outside();
  const message = { terminationMessagePath: '/files/message', terminationMessagePolicy: 'File' };
  const way = { mountPath: '/files/message', subPath: 'message' };
  const reader = container('reader', 'sleep 60', way);
  const planter = container('planter', `sleep 20; rm /w/message; ln -s ${directory}/secret /w/message`, {
    mountPath: '/w',
  });
  api.put(
    PODS,
    podOf('message', {
      restartPolicy: 'Never',
      volumes: [{ name: 'files', emptyDir: {} }],
      initContainers: [container('plant', 'echo mine > /files/message', {})],
      containers: [{ ...reader, ...message }, planter],
    }),
  );
  await clock.advance(120_000);
  const statuses = api.get(`${PODS}/message`)?.status.containerStatuses ?? [];
  const ended = statuses.find(({ name }: { name: string }) => name === 'reader')?.state?.terminated;
  expect(ended?.message).toBe('mine\n');
});

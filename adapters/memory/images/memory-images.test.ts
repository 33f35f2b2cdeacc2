import { afterEach, expect, it } from 'vitest';
import { type CriError, pullFailures } from '../../../src/cri/errors.js';
import {
  createTestNode,
  type TestNode,
  type TestNodeOptions,
} from '../../../test/support/runtime/memory-node.js';

let node: TestNode;
afterEach(() => node.runtime.close());

const start = async (options: TestNodeOptions = {}) => {
  node = await createTestNode(options);
  const pull = (image: string, auth?: { username: string; password: string }) =>
    node.call(() => node.cri.pullImage({ image: { image }, ...(auth && { auth }) }));
  const find = async (image: string) => (await node.cri.imageStatus({ image: { image } })).image;
  return { ...node, pull, find };
};

it('finds an image by its tag, digest and id, and invents the same image every time', async () => {
  const { pull, find } = await start();
  const { imageRef } = await pull('redis:7');
  const byTag = await find('docker.io/library/redis:7');
  expect(byTag?.id).toBe(imageRef);
  for (const name of [byTag?.repoDigests[0], byTag?.id, byTag?.id.slice(0, 20), 'redis:7'])
    expect(await find(name as string)).toEqual(byTag);
  const again = await start();
  expect(await again.pull('redis:7')).toEqual({ imageRef });
});

it('removes an image with all its tags', async () => {
  const { pull, find, cri, call } = await start();
  const tags = ['a', 'b', 'c'].map((tag) => `registry.k8s.io/e2e-test-images/test-image-tags:${tag}`);
  const ids = new Set<string>();
  for (const tag of tags) ids.add((await pull(tag)).imageRef);
  expect(ids.size).toBe(1);
  await call(() => cri.removeImage({ image: { image: tags[1] as string } }));
  for (const tag of tags) expect(await find(tag)).toBeUndefined();
});

it('takes the configured time to pull, and pulls the same image once at a time', async () => {
  const { clock, pull } = await start({ pulls: [{ match: '*/slow:*', latency: 60_000 }] });
  const before = clock.elapsed();
  await Promise.all([pull('slow:1'), pull('slow:1')]);
  expect(clock.elapsed() - before).toBe(60_000);
});

it('leaves nothing of a pull that is cancelled', async () => {
  const { clock, cri, find } = await start({ pullLatency: 10_000 });
  const stop = new AbortController();
  const pulled = clock.run(() => cri.pullImage({ image: { image: 'nginx' } }, { signal: stop.signal }));
  await clock.advance(5000);
  stop.abort();
  await expect(pulled).rejects.toMatchObject({ kind: 'cancelled' });
  await clock.advance(60_000);
  expect(await find('nginx')).toBeUndefined();
});

it('fails and asks for credentials by rule', async () => {
  const auth = { username: 'me', password: 'secret' };
  const { pull } = await start({
    pulls: [
      { match: '*/private:*', auth },
      { match: '*/broken:*', fail: { kind: 'unavailable', message: 'registry is down' } },
    ],
  });
  await expect(pull('private:1')).rejects.toMatchObject({ kind: 'denied' });
  await expect(pull('private:1', { ...auth, password: 'wrong' })).rejects.toMatchObject({ kind: 'denied' });
  expect((await pull('private:1', auth)).imageRef).toMatch(/^sha256:/);
  await expect(pull('broken:1')).rejects.toMatchObject({ kind: 'unavailable', message: 'registry is down' });
});

it('reads credentials as containerd does, and says of the registry what a rule says', async () => {
  const wanted = { username: 'me', password: 'secret' };
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const { cri, call } = await start({
    pulls: [
      { match: '*/private:*', auth: wanted },
      ...pullFailures.map((fail) => ({ match: `*/${fail}:*`, fail })),
    ],
  });
  const image = { image: 'registry.example:5000/private:1' };
  const failureWith = (auth: object) =>
    call(() => cri.pullImage({ image, auth })).then(
      () => 'OK',
      ({ problem }: CriError) => problem?.name === 'failed-pull' && (problem.reason ?? problem.failure),
    );
  expect(await failureWith({ auth: base64('me:secret\0\0') })).toBe('OK');
  expect(await failureWith({ ...wanted, serverAddress: 'https://registry.example:5000/v2/' })).toBe('OK');
  expect(await failureWith({ ...wanted, serverAddress: 'https://other.example' })).toBe('unauthorized');
  expect(await failureWith({ ...wanted, serverAddress: '127.0.0.1:5000' })).toBe(
    'parse server address: parse "127.0.0.1:5000": first path segment in URL cannot contain colon',
  );
  expect(await failureWith({ ...wanted, password: 'x' })).toBe('wrong-credentials');
  expect(await failureWith({ auth: '!!!' })).toBe('illegal base64 data at input byte 0');
  expect(await failureWith({ auth: base64('nocolon') })).toBe('invalid decoded auth: "nocolon\\x00\\x00"');
  for (const failure of pullFailures)
    await expect(
      call(() => cri.pullImage({ image: { image: `registry.example/${failure}:1` } })),
    ).rejects.toMatchObject({ problem: { failure, image: `registry.example/${failure}:1` } });
});

it('pins images by rule', async () => {
  const { pull, find } = await start({ pulls: [{ match: '*/agent:*', pinned: true }] });
  for (const name of ['agent:1', 'app:1']) await pull(name);
  expect([(await find('agent:1'))?.pinned, (await find('app:1'))?.pinned]).toEqual([true, false]);
});

it.each([
  'invalid.registry.k8s.io/invalid/alpine:3.1',
  'registry.invalid/app:1',
  'registry.invalid:5000/app:1',
])('has no image of a registry that cannot exist: %s', async (image) => {
  const { pull } = await start();
  await expect(pull(image)).rejects.toMatchObject({ kind: 'not-found' });
});

it('has the users that images are known for', async () => {
  const { pull, find } = await start();
  const known = async (name: string) => {
    await pull(`registry.k8s.io/e2e-test-images/${name}:1`);
    const { uid, username } = (await find(`registry.k8s.io/e2e-test-images/${name}:1`)) ?? {};
    return [uid?.value, username];
  };
  expect(await known('nonroot')).toEqual([1234n, '']);
  expect(await known('test-image-user-uid')).toEqual([1002n, '']);
  expect(await known('test-image-user-username')).toEqual([undefined, 'www-data']);
});

it('gives nginx the files that configurations include', async () => {
  const { pull, cri, call, container, clock } = await start();
  await pull('nginx:1.29');
  const id = await container({ image: { image: 'nginx:1.29' } });
  await clock.advance(1000);
  const names = ['mime.types', 'fastcgi_params', 'scgi_params', 'uwsgi_params'];
  const cmd = ['cat', ...names.map((name) => `/etc/nginx/${name}`)];
  expect(await call(() => cri.execSync({ containerId: id, cmd, timeout: 9n }))).toMatchObject({
    exitCode: 0,
  });
});

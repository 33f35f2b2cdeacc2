import { expect, test } from 'vitest';
import { startMockri } from '../../src/testing/index.js';

const pull = (image: string) => ({ image: { image } });

test('images are present, slow, missing or private, by rule', async () => {
  await using mockri = await startMockri({
    clock: 'virtual',
    presentImages: ['busybox:1.36'],
    images: [
      { match: 'slow.example/*', latency: '1m' },
      { match: '*/missing:*', fail: { kind: 'not-found', message: 'no such repository' } },
      { match: 'private.example/*', auth: { username: 'me', password: 'secret' } },
    ],
  });
  const { client, clock } = mockri;
  const { images } = await client.listImages({});
  expect(images.flatMap(({ repoTags }) => repoTags)).toEqual(['docker.io/library/busybox:1.36']);

  const begun = clock.elapsed();
  await mockri.runUntil(client.pullImage(pull('slow.example/app:1')));
  expect(clock.elapsed() - begun).toBe(60_000);
  const missing = mockri.runUntil(client.pullImage(pull('example.com/missing:1')));
  await expect(missing).rejects.toMatchObject({ codeName: 'NOT_FOUND', message: 'no such repository' });
  const denied = mockri.runUntil(client.pullImage(pull('private.example/app')));
  await expect(denied).rejects.toThrow('authentication required');
  const auth = { username: 'me', password: 'secret' };
  await mockri.runUntil(client.pullImage({ ...pull('private.example/app'), auth }));
});

test('an invalid image is refused', async () => {
  await expect(startMockri({ images: [{ match: '*', latency: 'soon' }] })).rejects.toThrow(
    'images[0].latency',
  );
  await expect(startMockri({ presentImages: ['Not An Image'] })).rejects.toThrow(
    'presentImages[0]: expected [DOMAIN/]PATH',
  );
});

test('each runtime of a test has its own images and profile', async () => {
  await using old = await startMockri({ profile: 'containerd-2.3', presentImages: ['busybox'] });
  await using latest = await startMockri({ profile: 'containerd-2.4' });
  expect((await old.client.version({})).runtimeVersion).toContain('2.3.');
  expect((await latest.client.version({})).runtimeVersion).toContain('2.4.');
  expect((await old.client.listImages({})).images).toHaveLength(1);
  expect((await latest.client.listImages({})).images).toEqual([]);
});

import { expect, test } from 'vitest';
import { createPullManager, createPullRecords, type PullSecret } from './pull-records.js';

const secret = (name: string, hash = name): PullSecret => ({ namespace: 'default', name, hash });
const none = async () => [];

test('an image that was there before is pulled for nobody', async () => {
  const manager = createPullManager(createPullRecords());
  expect(await manager.mustPull('web:1', 'sha256:1', none)).toBe(false);
  manager.begin('web:1');
  manager.failed('web:1');
  expect(await manager.mustPull('web:1', 'sha256:1', none)).toBe(false);
});

test('an image that was pulled without credentials is for all pods, under its name only', async () => {
  const manager = createPullManager(createPullRecords());
  manager.begin('web:1');
  manager.pulled('web:1', 'sha256:1', undefined);
  expect(await manager.mustPull('web:1', 'sha256:1', none)).toBe(false);
  expect(await manager.mustPull('web:2', 'sha256:1', none)).toBe(false);
  expect(await manager.mustPull('registry.example:5000/web:1', 'sha256:1', none)).toBe(true);
  expect(await manager.mustPull('other:1', 'sha256:2', none)).toBe(false);
});

test('an image that was pulled with a secret is for pods with it, or with equal credentials', async () => {
  const manager = createPullManager(createPullRecords());
  manager.begin('web:1');
  manager.pulled('web:1', 'sha256:1', secret('a'));
  const isFor = async (...secrets: PullSecret[]) =>
    !(await manager.mustPull('web:1', 'sha256:1', async () => secrets));
  expect(await isFor()).toBe(false);
  expect(await isFor(secret('b'))).toBe(false);
  expect(await isFor(secret('b', 'a'))).toBe(true);
  // The second secret is known from now on, also with other credentials.
  expect(await isFor(secret('b', 'new'))).toBe(true);
  expect(await isFor(secret('c', 'new'))).toBe(true);
  manager.begin('web:1');
  manager.pulled('web:1', 'sha256:1', undefined);
  expect(await isFor()).toBe(true);
});

test('while an image is pulled, and after a restart of the kubelet meanwhile, others pull it too', async () => {
  const records = createPullRecords();
  const manager = createPullManager(records);
  manager.begin('web:1');
  manager.begin('web:1');
  manager.failed('web:1');
  expect(await manager.mustPull('web:1', 'sha256:1', none)).toBe(true);
  const next = createPullManager(records);
  expect(await next.mustPull('web:1', 'sha256:1', none)).toBe(true);
  next.begin('web:1');
  next.failed('web:1');
  expect(await next.mustPull('web:1', 'sha256:1', none)).toBe(false);
});

import { expect, test } from 'vitest';
import { ContainerStatus, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import { verifyContainerStatus, verifySandboxStatus } from './client.js';

const sandbox = { id: 's1', metadata: { name: 'web', namespace: 'default', uid: 'u1' }, createdAt: 1n };
const container = {
  id: 'c1',
  metadata: { name: 'app' },
  createdAt: 1n,
  image: { image: 'busybox:1' },
  imageRef: 'sha256:1',
};

test('complete replies are accepted', () => {
  expect(() => verifySandboxStatus(PodSandboxStatus.fromPartial(sandbox))).not.toThrow();
  expect(() => verifyContainerStatus(ContainerStatus.fromPartial(container))).not.toThrow();
});

test.each([
  [{ id: '' }, 'status.Id is not set'],
  [{ metadata: undefined }, 'status.Metadata is not set'],
  [
    { metadata: { ...sandbox.metadata, uid: '' } },
    'metadata.Name, metadata.Namespace or metadata.Uid is not in metadata',
  ],
  [{ createdAt: 0n }, 'status.CreatedAt is not set'],
])('a sandbox with %o is rejected', (change, message) => {
  expect(() => verifySandboxStatus(PodSandboxStatus.fromPartial({ ...sandbox, ...change }))).toThrow(message);
});

test.each([
  [{ id: '' }, 'status.Id is not set'],
  [{ metadata: undefined }, 'status.Metadata is not set'],
  [{ metadata: { name: '' } }, 'metadata.Name is not in metadata'],
  [{ createdAt: 0n }, 'status.CreatedAt is not set'],
  [{ image: undefined }, 'status.Image is not set'],
  [{ image: { image: '' } }, 'status.Image is not set'],
  [{ imageRef: '' }, 'status.ImageRef is not set'],
])('a container with %o is rejected', (change, message) => {
  expect(() => verifyContainerStatus(ContainerStatus.fromPartial({ ...container, ...change }))).toThrow(
    message,
  );
});

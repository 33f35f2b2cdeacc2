import type { ContainerStatus, PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';

/** verifySandboxStatus (cri-client utils.go): throws if a required field is missing. */
export function verifySandboxStatus({ id, metadata, createdAt }: PodSandboxStatus): void {
  const { name, namespace, uid } = metadata ?? { name: '', namespace: '', uid: '' };
  if (id === '') throw new Error('status.Id is not set');
  if (metadata === undefined) throw new Error('status.Metadata is not set');
  if (name === '' || namespace === '' || uid === '') {
    throw new Error(
      `metadata.Name, metadata.Namespace or metadata.Uid is not in metadata ${JSON.stringify(metadata)}`,
    );
  }
  if (createdAt === 0n) throw new Error('status.CreatedAt is not set');
}

/** verifyContainerStatus (cri-client utils.go): throws if a required field is missing. */
export function verifyContainerStatus({ id, metadata, createdAt, image, imageRef }: ContainerStatus): void {
  if (id === '') throw new Error('status.Id is not set');
  if (metadata === undefined) throw new Error('status.Metadata is not set');
  if (metadata.name === '') {
    throw new Error(`metadata.Name is not in metadata ${JSON.stringify(metadata)}`);
  }
  if (createdAt === 0n) throw new Error('status.CreatedAt is not set');
  if (image === undefined || image.image === '') throw new Error('status.Image is not set');
  if (imageRef === '') throw new Error('status.ImageRef is not set');
}

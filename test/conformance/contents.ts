import type { CriClient } from '../../src/cri/client/client.js';

export async function contentsOf(cri: CriClient) {
  const [sandboxes, containers, images] = await Promise.all([
    cri.listPodSandbox({}),
    cri.listContainers({}),
    cri.listImages({}),
  ]);
  return {
    sandboxes: sandboxes.items.map(({ id }) => id),
    containers: containers.containers.map(({ id }) => id),
    images: images.images.map(({ id }) => id).sort(),
  };
}

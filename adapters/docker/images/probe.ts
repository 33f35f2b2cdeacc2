import { randomUUID } from 'node:crypto';
import type Dockerode from 'dockerode';
import type { Context } from '../context.js';
import { probeLabels } from '../labels.js';

/** What looking into an image takes. */
export type Probing = Pick<Context, 'docker' | 'making'>;

/**
 * Makes a container to look into an image, and removes it afterwards. Of a Docker that goes away meanwhile it is
 * removed when Docker is back, as all that nobody knows.
 */
export async function withProbe<T>(
  { docker, making }: Probing,
  options: Dockerode.ContainerCreateOptions,
  work: (probe: Dockerode.Container) => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  return making.run(id, async () => {
    const probe = await docker.createContainer({ ...options, Labels: { ...probeLabels(id) } });
    try {
      return await work(probe);
    } finally {
      await probe.remove({ force: true, v: true });
    }
  });
}

import { randomUUID } from 'node:crypto';
import type Dockerode from 'dockerode';
import type { Context } from '../context.js';
import { probeLabels } from '../labels.js';

export type Probing = Pick<Context, 'docker' | 'making'>;

/**
 * Creates a container to read an image's files, then removes it. If Docker is down, a later reconciliation removes it.
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

import type { Container } from 'dockerode';
import { statusOf, unlessMissing } from '../errors.js';

/**
 * Removes a container with its anonymous volumes, even a running one, and resolves when it is gone. While another
 * removal is in progress, such as that of a killed server, Docker refuses a second one: this waits for the first.
 * Throws Docker's other errors.
 */
export async function removeFromDocker(container: Container): Promise<void> {
  for (;;) {
    try {
      await unlessMissing(container.remove({ force: true, v: true }));
      return;
    } catch (error) {
      if (!isBeingRemoved(error)) throw error;
    }
    // Resolves even if that removal fails; the next attempt gets the error.
    await unlessMissing(container.wait({ condition: 'removed' }));
  }
}

const isBeingRemoved = (error: unknown) =>
  statusOf(error) === 409 && /already in progress/.test(String(error));

import type { Container } from 'dockerode';
import { statusOf, unlessMissing } from '../errors.js';

/**
 * Removes a container with its anonymous volumes, also one that runs, and resolves when Docker has it no more. Docker
 * refuses a second removal while one is in progress, such as that of a server which was killed meanwhile: then its end is
 * waited for. Throws what Docker answers otherwise.
 */
export async function removeFromDocker(container: Container): Promise<void> {
  for (;;) {
    try {
      await unlessMissing(container.remove({ force: true, v: true }));
      return;
    } catch (error) {
      if (!isBeingRemoved(error)) throw error;
    }
    // Ends too when that removal fails; the next attempt gets the error.
    await unlessMissing(container.wait({ condition: 'removed' }));
  }
}

const isBeingRemoved = (error: unknown) =>
  statusOf(error) === 409 && /already in progress/.test(String(error));

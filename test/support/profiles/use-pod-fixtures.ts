import { afterEach } from 'vitest';
import type { RuntimeProfileName } from '../../../src/runtime/profiles/index.js';
import { type Mockri, startMockri } from '../../../src/testing/index.js';
import { createPodFixture, IMAGE, type PodFixture, SHORT_TIMES } from './pod-fixture.js';

/**
 * Starts a server with a profile and the pulled image, and closes it after the test; resolves with a pod fixture on it.
 */
export function usePodFixtures(): (profile: RuntimeProfileName) => Promise<PodFixture> {
  let mockri: Mockri | undefined;
  afterEach(() => mockri?.close());
  return async (profile) => {
    mockri = await startMockri({ profile, latency: SHORT_TIMES, referee: 'off' });
    await mockri.client.pullImage({ image: IMAGE });
    return createPodFixture(mockri.client, 'a');
  };
}

import { afterEach } from 'vitest';
import type { RuntimeProfileName } from '../../../src/profiles/index.js';
import { type Mockri, startMockri } from '../../../src/testing/index.js';
import { createTrial, IMAGE, type Trial } from './trial.js';

/** Removals of sandboxes take a moment, so that two at the same time meet. */
const TIMES = { removeSandbox: ['20ms'] };

/** Starts a server with a profile, which is closed after the test, with the image pulled; answers a trial on it. */
export function useTrials(): (profile: RuntimeProfileName) => Promise<Trial> {
  let mockri: Mockri | undefined;
  afterEach(() => mockri?.close());
  return async (profile) => {
    mockri = await startMockri({ profile, latency: TIMES, referee: 'off' });
    await mockri.client.pullImage({ image: IMAGE });
    return createTrial(mockri.client, 'a');
  };
}

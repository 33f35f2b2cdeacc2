import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { kubeletVersion } from '../config/version.js';
import { SyncError } from '../runtime/sync-results.js';
import { requeueDelay } from './complete-work.js';

const clock = createVirtualClock();
const inSeconds = (seconds: number) =>
  new SyncError('back-off', clock.now() + BigInt(seconds) * 1_000_000_000n);

test.each([
  ['1.36', 60, undefined, 60],
  ['1.36', 60, new Error('network is not ready: no CNI config'), 1],
  ['1.36', 60, new Error('other'), 10],
  ['1.36', 5, new Error('other'), 5],
  ['1.34', 5, new Error('other'), 10],
  ['1.36', 60, inSeconds(40), 40],
  ['1.36', 60, inSeconds(300), 60],
  ['1.36', 20, inSeconds(40), 20],
  ['1.36', 60, inSeconds(-1), 0],
  ['1.34', 60, inSeconds(40), 10],
])(
  '%s with a sync frequency of %d s is repeated after %s in %d s',
  (version, frequency, failure, expected) => {
    const options = {
      clock,
      version: kubeletVersion(version),
      syncFrequency: frequency * 1000,
      random: { next: () => 0, fork: never },
    };
    expect(requeueDelay(options, failure)).toBe(expected * 1000);
  },
);

function never(): never {
  throw new Error('unexpected fork');
}

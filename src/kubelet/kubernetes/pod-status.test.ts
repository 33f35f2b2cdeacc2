import { expect, test } from 'vitest';
import { podStatusSchema } from './pod-status.js';

test('a condition is read with the time of its last probe, as null and as none', () => {
  const at = '2026-01-02T03:04:05Z';
  const ready = { type: 'Ready', status: 'True' } as const;
  const { conditions } = podStatusSchema.parse({
    conditions: [
      { ...ready, lastProbeTime: at, lastTransitionTime: at },
      { ...ready, lastProbeTime: null },
      ready,
    ],
  });
  const nanoseconds = BigInt(Date.parse(at)) * 1_000_000n;
  expect(conditions.map(({ lastProbeTime }) => lastProbeTime)).toEqual([nanoseconds, undefined, undefined]);
});

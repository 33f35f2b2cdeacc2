import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { CallError } from '../../cri/client/call-error.js';
import { createClient } from '../../cri/client/client.js';
import { NO_TRAILERS, statusOfBreak, statusOfReset } from '../../cri/client/go-status.js';
import { recordCalls } from './call-recorder.js';

test.each([
  { status: statusOfBreak('EOF'), isLost: true },
  { status: NO_TRAILERS, isLost: true },
  { status: statusOfReset(8), isLost: true },
  { status: statusOfReset(2), isLost: false },
])('a call that ends with $status: its connection is lost is $isLost', async ({ status, isLost }) => {
  const failing = createClient({
    unary: async () => {
      throw new CallError(status.code, status.details);
    },
    stream: () => {
      throw new Error('no stream is opened');
    },
  });
  const { cri, wasCutOff } = recordCalls(failing, createVirtualClock(), new AbortController().signal);
  await expect(cri.version({})).rejects.toThrow(CallError);
  expect(wasCutOff()).toBe(isLost);
});

import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { freePort, listen, runOn } from '../../../test/support/kubelet/probe-targets.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { checkTcp } from './tcp-handler.js';

test('tcpSocket succeeds when the port is open', async () => {
  const clock = createVirtualClock();
  const open = await listen(createServer());
  const closed = await freePort();
  expect(await runOn(clock, () => checkTcp(clock, '127.0.0.1', open, 1000))).toEqual([
    { result: 'success', output: '' },
    0,
  ]);
  expect(await runOn(clock, () => checkTcp(clock, '127.0.0.1', closed, 1000))).toEqual([
    { result: 'failure', output: `dial tcp 127.0.0.1:${closed}: connect: connection refused` },
    0,
  ]);
});

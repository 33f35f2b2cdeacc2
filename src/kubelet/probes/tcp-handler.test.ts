import { createServer } from 'node:net';
import { expect, test } from 'vitest';
import { dialer, listen, runOn, TARGET } from '../../../test/support/kubelet/probe-targets.js';
import { checkTcp } from './handlers.js';

test('tcpSocket succeeds when the port is open', async () => {
  const by = dialer();
  listen(by, createServer());
  const check = (host: string, port: number) => runOn(by.clock, () => checkTcp(by, host, port, 1000));
  expect(await check(TARGET, 80)).toEqual([{ result: 'success', output: '' }, 0]);
  const refused = 'dial tcp 127.64.0.1:81: connect: connection refused';
  expect(await check(TARGET, 81)).toEqual([{ result: 'failure', output: refused }, 0]);
  const unreachable = 'dial tcp 192.0.2.1:80: connect: network is unreachable';
  expect(await check('192.0.2.1', 80)).toEqual([{ result: 'failure', output: unreachable }, 0]);
  const unknown = 'dial tcp: lookup example.com: no such host';
  expect(await check('example.com', 80)).toEqual([{ result: 'failure', output: unknown }, 0]);
});

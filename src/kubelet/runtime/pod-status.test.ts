import { expect, test } from 'vitest';
import { PodSandboxStatus } from '../../cri/gen/runtime/v1/api.js';
import { ipsOfSandbox } from './pod-status.js';

test.each([
  [undefined, []],
  [{ ip: '', additionalIps: [] }, []],
  [{ ip: '10.0.0.1', additionalIps: [{ ip: 'fd00::1' }] }, ['10.0.0.1', 'fd00::1']],
  [{ ip: '', additionalIps: [{ ip: 'fd00::1' }] }, ['fd00::1']],
  [{ ip: '10.0.0.1', additionalIps: [{ ip: 'nowhere' }] }, []],
  [{ ip: '10.0.0', additionalIps: [] }, []],
])('addresses of a sandbox with the network %j', (network, ips) => {
  expect(ipsOfSandbox(PodSandboxStatus.fromPartial(network === undefined ? {} : { network }))).toEqual(ips);
});

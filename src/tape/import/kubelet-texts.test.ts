import { expect, test } from 'vitest';
import { backOffReport, eventFacts, nodeProblems, plegReport } from './kubelet-texts.js';

test.each([
  ['"Event channel is full, discard this relist() cycle event"', { state: 'discarded' }],
  ['"Fall back to Generic PLEG relisting since Evented PLEG is not working"', { state: 'generic' }],
  [
    '"Evented PLEG: Failed to get container events, retrying" err="rpc error: code = Unavailable desc = no"',
    { state: 'stream-failed', text: 'rpc error: code = Unavailable desc = no' },
  ],
  [
    '"Evented PLEG: failed to get container events, retrying" err="rpc error: code = Unavailable desc = no"',
    { state: 'stream-failed', text: 'rpc error: code = Unavailable desc = no' },
  ],
  ['"GenericPLEG: Unable to retrieve pods" err="late"', { state: 'list-failed', text: 'late' }],
  ['"SyncLoop ADD" source="api"', undefined],
])('what a line of the log says of the PLEG: %s', (line, report) => {
  expect(plegReport(line)).toEqual(report);
});

test('the back-off that the kubelet waits for is read from its log', () => {
  const line =
    '"Error syncing pod, skipping" err="failed to "StartContainer" for "app" with CrashLoopBackOff: "back-off 1m20s restarting failed container=app pod=web_default(4df5)"" pod="default/web" podUID="4df5"';
  const pod = { name: 'web', namespace: 'default', uid: '4df5' };
  expect(backOffReport(line)).toEqual({ pod, container: 'app', delay: 80_000 });
  expect(backOffReport('"SyncLoop ADD" source="api"')).toBeUndefined();
});

test('what keeps a node from being ready', () => {
  const starts =
    '[container runtime status check may not have completed yet, PLEG is not healthy: pleg has yet to be successful]';
  expect(nodeProblems(starts)).toEqual(['runtime-unchecked', 'pleg-starting']);
  expect(nodeProblems('PLEG is not healthy: pleg was last seen active 3m5s ago; threshold is 3m0s')).toEqual([
    'pleg-unhealthy',
  ]);
  expect(nodeProblems('kubelet is posting ready status')).toEqual([]);
});

test.each([
  ['Pulling', 'Pulling image "busybox:1"', { image: 'busybox:1', pull: 'begun' }],
  [
    'Pulled',
    'Successfully pulled image "busybox:1" in 2s (2s including waiting)',
    { image: 'busybox:1', pull: 'succeeded' },
  ],
  [
    'Pulled',
    'Container image "busybox:1" already present on machine',
    { image: 'busybox:1', pull: 'present' },
  ],
  ['Failed', 'Failed to pull image "busybox:1": rpc error', { image: 'busybox:1', pull: 'failed' }],
  ['Failed', 'Error: ErrImagePull', { image: '' }],
  ['Failed', 'Error: no such file', undefined],
  ['Unhealthy', 'Readiness probe failed: said no', { probe: 'readiness' }],
  ['Killing', 'Container app failed liveness probe, will be restarted', { probe: 'liveness' }],
  ['Killing', 'Stopping container app', undefined],
])('what an event is about: %s, %s', (reason, message, facts) => {
  expect(eventFacts(reason, message)).toEqual(facts);
});

import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import {
  done,
  failed,
  type Given,
  init,
  NOW,
  sidecar,
  statusOf,
} from '../../../test/support/kubelet/pod-status.js';
import { podRow } from './row.js';

/** READY STATUS RESTARTS phase */
function row(given: Given): string {
  const pod = given.pod ?? aPod();
  const status = statusOf(given);
  const shown = podRow(pod, status, NOW);
  return `${shown.ready} ${shown.status} ${shown.restartsText} ${status.phase}`;
}

describe('the row of kubectl get pod', () => {
  const never = aPod({ restartPolicy: 'Never' });
  const onFailure = aPod({ restartPolicy: 'OnFailure' });
  const two = aPod({ containers: [aContainer(), aContainer({ name: 'web' })] });
  const deleted = aPod({}, { deletionTimestamp: NOW });
  const cases: [string, Given, string][] = [
    ['nothing yet', {}, '0/1 ContainerCreating 0 Pending'],
    ['created only', { containers: [{ state: 'created' }] }, '0/1 Pending 0 Pending'],
    ['runs', { containers: [{}] }, '1/1 Running 0 Running'],
    ['runs, not ready', { containers: [{}], ready: false }, '0/1 Running 0 Running'],
    ['failed', { containers: [failed] }, '0/1 Error 0 Running'],
    ['ended well', { containers: [done] }, '0/1 Completed 0 Running'],
    [
      'in back-off',
      { containers: [{ ...failed, restartCount: 3 }], waiting: { app: 'CrashLoopBackOff' } },
      '0/1 CrashLoopBackOff 3 (12s ago) Running',
    ],
    ['restarted', { containers: [{ restartCount: 1 }, failed] }, '1/1 Running 1 (12s ago) Running'],
    ['pull failed', { waiting: { app: 'ErrImagePull' } }, '0/1 ErrImagePull 0 Pending'],
    ['Never, failed', { pod: never, containers: [failed] }, '0/1 Error 0 Failed'],
    ['Never, succeeded', { pod: never, containers: [done] }, '0/1 Completed 0 Succeeded'],
    ['OnFailure, succeeded', { pod: onFailure, containers: [done] }, '0/1 Completed 0 Succeeded'],
    ['OnFailure, failed', { pod: onFailure, containers: [failed] }, '0/1 Error 0 Running'],
    [
      'out of memory',
      { containers: [{ ...failed, exitCode: 137, reason: 'OOMKilled' }] },
      '0/1 OOMKilled 0 Running',
    ],
    ['no reason', { containers: [{ ...failed, reason: '' }] }, '0/1 ExitCode:1 0 Running'],
    ['deleted', { pod: deleted, containers: [{}] }, '1/1 Terminating 0 Running'],
    ['one of two failed', { pod: two, containers: [failed, { name: 'web' }] }, '1/2 Error 0 Running'],
    [
      'one of two is done, Ready',
      { pod: two, containers: [done, { name: 'web' }] },
      '1/2 NotReady 0 Running',
    ],
    [
      'one of two is done, the other failed',
      { pod: two, containers: [done, { ...failed, name: 'web' }] },
      '0/2 Error 0 Running',
    ],
  ];
  test.each(cases)('%s', (_name, given, expected) => expect(row(given)).toBe(expected));
});

describe('the row of a pod with init containers', () => {
  const pod = aPod({ initContainers: [init, aContainer({ name: 'second' })] });
  const never = aPod({ initContainers: [init], restartPolicy: 'Never' });
  const mesh = aPod({ initContainers: [sidecar] });
  const cases: [string, Given, string][] = [
    ['nothing yet', { pod }, '0/1 Init:0/2 0 Pending'],
    ['first runs', { pod, containers: [{ name: 'setup' }] }, '0/1 Init:0/2 0 Pending'],
    ['first is done', { pod, containers: [{ ...done, name: 'setup' }] }, '0/1 Init:1/2 0 Pending'],
    ['first failed', { pod, containers: [{ ...failed, name: 'setup' }] }, '0/1 Init:Error 0 Pending'],
    [
      'first in back-off',
      {
        pod,
        containers: [
          { ...failed, name: 'setup', restartCount: 2 },
          { ...failed, name: 'setup' },
        ],
        waiting: { setup: 'CrashLoopBackOff' },
      },
      '0/1 Init:CrashLoopBackOff 2 (12s ago) Pending',
    ],
    [
      'failed permanently',
      { pod: never, containers: [{ ...failed, name: 'setup' }] },
      '0/1 Init:Error 0 Failed',
    ],
    [
      'all done',
      {
        pod,
        containers: [
          { ...done, name: 'setup' },
          { ...done, name: 'second' },
        ],
      },
      '0/1 PodInitializing 0 Pending',
    ],
    [
      'runs',
      { pod, containers: [{}, { ...done, name: 'setup' }, { ...done, name: 'second' }] },
      '1/1 Running 0 Running',
    ],
    ['sidecar starts', { pod: mesh }, '0/2 Init:0/1 0 Pending'],
    ['sidecar runs', { pod: mesh, containers: [{ name: 'proxy' }] }, '1/2 PodInitializing 0 Pending'],
    ['both run', { pod: mesh, containers: [{}, { name: 'proxy' }] }, '2/2 Running 0 Running'],
    [
      'sidecar failed while the pod runs',
      { pod: mesh, containers: [{}, { ...failed, name: 'proxy', restartCount: 1 }] },
      '1/2 Init:Error 1 Running',
    ],
  ];
  test.each(cases)('%s', (_name, given, expected) => expect(row(given)).toBe(expected));
});

import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createCrashLoopBackOff } from '../../../src/kubelet/backoff/crash-loop.js';
import type { RuntimeClient } from '../../../src/kubelet/client/client.js';
import { kubeletVersion } from '../../../src/kubelet/config/version.js';
import { noFiles } from '../../../src/kubelet/disk/files.js';
import { createRecorder } from '../../../src/kubelet/events/recorder.js';
import { noObjects } from '../../../src/kubelet/kube-objects.js';
import { createResourceRecord } from '../../../src/kubelet/resources/resource-record.js';
import type { RuntimeContext } from '../../../src/kubelet/runtime/context.js';

const harmless: Partial<RuntimeClient> = {
  listSandboxes: async () => [],
  listContainers: async () => [],
  runSandbox: async () => 's2',
  stopSandbox: async () => {},
  removeSandbox: async () => {},
  createContainer: async () => 'c2',
  startContainer: async () => {},
  stopContainer: async () => {},
  removeContainer: async () => {},
};

/** For tests: a runtime context with a client that returns the given replies and records calls and events. */
export function runtimeRig(answers: Partial<RuntimeClient> = {}, more: Partial<RuntimeContext> = {}) {
  const clock = createVirtualClock();
  const calls: string[] = [];
  const events: string[] = [];
  const all = Object.entries({ ...harmless, ...answers }).map(([name, answer]) => {
    const noted = (...given: unknown[]) => {
      const shown = given.filter((each) => typeof each === 'string' || typeof each === 'number');
      calls.push([name, ...shown].join(' '));
      return (answer as (...given: unknown[]) => unknown)(...given);
    };
    return [name, noted];
  });
  const context: RuntimeContext = {
    clock,
    client: Object.fromEntries(all),
    runtimeName: () => 'mockri',
    files: noFiles,
    objects: noObjects,
    hostIp: '',
    allocatable: {},
    images: { ensure: async () => 'sha256:1', pullFailed: async () => {} },
    imageUser: async () => ({ uid: 0n }),
    recorder: createRecorder(clock, ({ reason, message }) => events.push(`${reason}: ${message}`)),
    version: kubeletVersion('1.36'),
    crashBackOff: createCrashLoopBackOff(clock, { initial: 10_000, max: 300_000 }),
    backOffDecided: undefined,
    actuated: createResourceRecord(),
    reinspect: () => {},
    hashOf: () => '',
    probeResult: () => undefined,
    hookRequest: async () => {},
    ...more,
  };
  return { clock, context, calls, events };
}

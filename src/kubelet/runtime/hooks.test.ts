import { expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import { PodSandbox, PodSandboxState, PodSandboxStatusResponse } from '../../cri/gen/runtime/v1/api.js';
import { POD_UID } from '../client/labels.js';
import { runHook } from './hooks.js';

const get = { path: '/', port: 80, scheme: 'HTTP', httpHeaders: [] } as const;
const failed = 'HTTP lifecycle hook (/) for Container "app" in Pod "web_default(uid-1)" failed - error:';

function hook(...given: Parameters<typeof runtimeRig>) {
  const reached: unknown[] = [];
  const hookRequest = async (_: unknown, ip: string | undefined) => {
    reached.push(ip);
  };
  const { context, calls } = runtimeRig(given[0], { hookRequest });
  return {
    reached,
    calls,
    run: (httpGet: typeof get & { host?: string }) =>
      runHook(context, aPod(), aContainer(), 'c1', { httpGet }),
  };
}

const sandbox = PodSandbox.fromPartial({
  id: 's1',
  metadata: { name: 'web', namespace: 'default', uid: 'uid-1' },
  labels: { [POD_UID]: 'uid-1' },
});
const status = (ip: string) =>
  PodSandboxStatusResponse.fromPartial({
    status: { id: 's1', state: PodSandboxState.SANDBOX_READY, network: { ip } },
  });

test('gets the address of the pod from the runtime, unless the hook names a host', async () => {
  const { reached, calls, run } = hook({
    listSandboxes: async () => [sandbox],
    sandboxStatus: async () => status('10.0.0.7'),
  });
  await run({ ...get, host: 'example.org' });
  expect(calls).toEqual([]);
  await run(get);
  expect(calls).toEqual(['listSandboxes', 'listContainers', 'sandboxStatus s1']);
  expect(reached).toEqual([undefined, '10.0.0.7']);
});

test('fails without a pod, without its status, and without an address', async () => {
  await expect(hook().run(get)).rejects.toThrow(
    `${failed} unable to get pod, event handlers may be invalid: pod sandboxes not found`,
  );
  const listSandboxes = async () => [sandbox];
  const sandboxStatus = async () => {
    throw new CallError(14, 'down');
  };
  await expect(hook({ listSandboxes, sandboxStatus }).run(get)).rejects.toThrow(
    `${failed} unable to get pod status, event handlers may be invalid: rpc error: code = Unavailable desc = down`,
  );
  await expect(hook({ listSandboxes, sandboxStatus: async () => status('') }).run(get)).rejects.toThrow(
    `${failed} failed to find networking container`,
  );
});

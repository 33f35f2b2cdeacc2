import { describe, expect, test } from 'vitest';
import { aContainer, aPod, aRuntimeStatus } from '../../../test/support/kubelet/objects.js';
import { runtimeRig } from '../../../test/support/kubelet/runtime-context.js';
import { CallError } from '../../cri/client/call-error.js';
import { PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import { StartError } from '../types/ports.js';
import { startContainer } from './start-container.js';

async function starting(...given: Parameters<typeof runtimeRig>) {
  const { context, events } = runtimeRig(...given);
  const start = {
    pod: aPod(),
    container: aContainer(),
    status: aRuntimeStatus([]),
    sandboxId: 's1',
    sandboxConfig: PodSandboxConfig.fromPartial({}),
    podIps: [],
  };
  const error = await startContainer(context, start).catch((failure: unknown) => failure);
  return { events, error: error instanceof StartError ? `${error.reason}: ${error.message}` : error };
}

const refusal = new CallError(3, 'failed c2: container c2 has no rootfs');
const refuse = async () => {
  throw refusal;
};

describe('a refusal of the runtime is reported without its code', () => {
  test('when the container is created', async () => {
    const { events, error } = await starting({ createContainer: refuse });
    expect(error).toBe(`CreateContainerError: ${refusal.details}`);
    expect(events).toEqual([`Failed: Error: ${refusal.details}`]);
  });

  test('when its image is looked up', async () => {
    const { events, error } = await starting({}, { imageUser: refuse });
    expect(error).toBe(`CreateContainerConfigError: ${refusal.details}`);
    expect(events).toEqual([`Failed: Error: ${refusal.details}`]);
  });

  test('when it is started, and the event has its name instead of its id', async () => {
    const { events, error } = await starting({ startContainer: refuse });
    expect(error).toBe(`RunContainerError: ${refusal.details}`);
    expect(events).toEqual([
      'Created: Container created',
      'Failed: Error: failed app: container app has no rootfs',
    ]);
  });
});

import { expect, onTestFinished } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import {
  ContainerEventResponse,
  ContainerEventType,
  type ContainerStatus,
} from '../../../src/cri/gen/runtime/v1/api.js';
import { createRuntime, type Runtime, type RuntimeOptions } from '../../../src/runtime/engine/runtime.js';
import { type Cri, callDirectly } from '../../property/cri.js';
import { createFakeBackend, type FakeBackend } from '../../property/fake-backend.js';

/** For tests: the engine with a fake backend in virtual time, called without a server. */
export interface EngineRig {
  readonly backend: FakeBackend;
  readonly clock: VirtualClock;
  readonly runtime: Runtime;
  readonly cri: Cri;
  /** Events since the creation of the rig. */
  readonly events: ContainerEventResponse[];
  /** Runs a sandbox; resolves with its id. */
  pod(name?: string, attempt?: number): Promise<string>;
  /** Creates a container; the default sleeps for an hour. Resolves with its id. */
  container(podSandboxId: string, command?: string[], name?: string): Promise<string>;
  statusOf(containerId: string): Promise<ContainerStatus | undefined>;
  /** `CREATED a` for each event, with ids replaced by the given names. */
  told(names: Record<string, string>): string[];
}

/** Present in every rig. */
export const image = { image: 'busybox:1' };

export const sandboxConfig = (name = 'web', attempt = 0) => ({
  metadata: { name, uid: `uid-${name}`, namespace: 'default', attempt },
  logDirectory: `/var/log/pods/${name}`,
  labels: { app: name },
});

/** Matches a CriError of this kind. */
export const kind = (expected: string) => expect.objectContaining({ kind: expected });

/** Closes the rig at the end of the test. */
export async function createEngineRig(options: Partial<RuntimeOptions> = {}): Promise<EngineRig> {
  const clock = createVirtualClock();
  const backend = createFakeBackend(clock);
  const runtime = await createRuntime({ backend, clock, ...options });
  onTestFinished(() => runtime.close());
  const cri = callDirectly(runtime.service);
  const events = follow(runtime);
  await cri.pullImage({ image });
  return {
    backend,
    clock,
    runtime,
    cri,
    events,
    pod: async (name, attempt) =>
      (await cri.runPodSandbox({ config: sandboxConfig(name, attempt) })).podSandboxId,
    container: async (podSandboxId, command = ['sleep', '3600'], name = 'app') => {
      const config = { metadata: { name, attempt: 0 }, image, command, logPath: `${name}/0.log` };
      const request = { podSandboxId, config, sandboxConfig: sandboxConfig() };
      return (await cri.createContainer(request)).containerId;
    },
    statusOf: async (containerId) => (await cri.containerStatus({ containerId })).status,
    told: (names) =>
      events.map(({ containerId, containerEventType }) => {
        const type = ContainerEventType[containerEventType].split('_')[1];
        return `${type} ${names[containerId] ?? containerId}`;
      }),
  };
}

function follow({ service }: Runtime): ContainerEventResponse[] {
  const received: ContainerEventResponse[] = [];
  const call = { signal: new AbortController().signal, deadline: undefined };
  void (async () => {
    for await (const event of service.getContainerEvents({}, call))
      received.push(Buffer.isBuffer(event) ? ContainerEventResponse.decode(event) : event);
  })();
  return received;
}

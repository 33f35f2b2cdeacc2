import { createMemoryBackend, type MemoryOptions } from '../../../adapters/memory/memory-backend.js';
import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { ContainerState, type ContainerStatus } from '../../../src/cri/gen/runtime/v1/api.js';
import type { CommandTable } from '../../../src/linux/commands/programs.js';
import { createRuntime, type Runtime } from '../../../src/runtime/engine/runtime.js';
import { type Cri, callDirectly } from '../../property/cri.js';

const IMAGE = 'busybox:1';

/** The memory backend with the engine in virtual time, with one pod. */
export interface TestNode {
  readonly clock: VirtualClock;
  readonly cri: Cri;
  readonly runtime: Runtime;
  readonly podSandboxId: string;
  /** Makes a call and lets time pass until it returns. */
  call<T>(request: () => Promise<T>): Promise<T>;
  /** Creates a container, and starts it by default. */
  container(config: Record<string, unknown>, start?: boolean): Promise<string>;
  status(containerId: string): Promise<ContainerStatus>;
  /** `EXITED 3 Error`, `RUNNING`. */
  state(containerId: string): Promise<string>;
}

export interface TestNodeOptions extends Omit<MemoryOptions, 'clock' | 'programs'> {
  readonly pod?: Record<string, unknown>;
  /** Replaces the default commands. */
  readonly commands?: CommandTable;
}

export async function createTestNode({ pod, commands, ...options }: TestNodeOptions = {}): Promise<TestNode> {
  const clock = createVirtualClock();
  const programs = commands && { programs: { find: async (name: string) => commands[name] } };
  const runtime = await createRuntime({
    backend: createMemoryBackend({ clock, ...programs, ...options }),
    clock,
    accounts: options.accounts,
  });
  const cri = callDirectly(runtime.service);
  const call = async <T>(request: () => Promise<T>): Promise<T> => {
    const answer = clock.run(request);
    let done = false;
    const settle = () => {
      done = true;
    };
    answer.then(settle, settle);
    if (!(await clock.runUntil(() => done, 24 * 3_600_000))) throw new Error('not answered within a day');
    return answer;
  };
  const sandboxConfig = { metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 }, ...pod };
  await call(() => cri.pullImage({ image: { image: IMAGE } }));
  const { podSandboxId } = await call(() => cri.runPodSandbox({ config: sandboxConfig }));
  let made = 0;
  const status = async (containerId: string) => {
    const reply = await cri.containerStatus({ containerId });
    return reply.status as ContainerStatus;
  };
  return {
    clock,
    cri,
    runtime,
    podSandboxId,
    call,
    container: async (config, start = true) => {
      const metadata = { name: `c${made++}`, attempt: 0 };
      const { containerId } = await call(() =>
        cri.createContainer({
          podSandboxId,
          config: { metadata, image: { image: IMAGE }, ...config },
          sandboxConfig,
        }),
      );
      if (start) await call(() => cri.startContainer({ containerId }));
      return containerId;
    },
    status,
    state: async (containerId) => {
      const { state, exitCode, reason } = await status(containerId);
      const name = (ContainerState[state] ?? '').replace('CONTAINER_', '');
      return name === 'EXITED' ? `${name} ${exitCode} ${reason}` : name;
    },
  };
}

import { expect, test } from 'vitest';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import type { Call, CriService } from '../../cri/service.js';
import { runtimeProfiles } from './index.js';
import type { RuntimeProfile } from './profile.js';

const call = {} as Call;

const profiles = Object.values(runtimeProfiles).filter(
  (profile): profile is RuntimeProfile => profile !== undefined,
);

test.each(profiles)(
  '$name: two of the same calls at the same time, which take time on a virtual clock, do not stop it',
  async ({ replies }) => {
    const clock = createVirtualClock();
    const slow = () => clock.sleep(20).then(() => ({}));
    const engine = {
      removeContainer: slow,
      removePodSandbox: slow,
      startContainer: slow,
      listContainers: () => ({ containers: [{ id: 'c', podSandboxId: 'p' }] }),
      podSandboxStatus: () => ({ status: { metadata: { name: 'web' } } }),
      containerStatus: () => ({ status: { state: 1 } }),
    } as unknown as CriService;
    const service = replies(clock, 1)(engine);
    const calls = [
      () => service.removeContainer({ containerId: 'c' }, call),
      () => service.removePodSandbox({ podSandboxId: 'p' }, call),
      () => service.startContainer({ containerId: 'c' }, call),
    ];
    let done = 0;
    for (const each of [...calls, ...calls])
      void clock
        .run(async () => each())
        .catch(() => {})
        .finally(() => done++);
    expect(await clock.runUntil(() => done === 2 * calls.length, 1000)).toBe(true);
  },
);

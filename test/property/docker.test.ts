import { expect, it } from 'vitest';
import { createDockerBackend } from '../../adapters/docker/docker-backend.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import { CriError } from '../../src/cri/errors.js';
import { ContainerState } from '../../src/cri/gen/runtime/v1/api.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { countOf, isThorough } from '../support/thorough.js';
import { checkAgainstModel } from './commands.js';
import { callDirectly } from './cri.js';
import { followTwice } from './events.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

/** An idle Docker Engine (test/peers/programs/docker/start.sh prints its address); without it the test is skipped. */
const host = process.env.DOCKER_ENGINE;

it('any requests with real containers have the outcomes of the model', async ({ skip }) => {
  if (host === undefined) skip('DOCKER_ENGINE is not set');
  // Enough runs to make so many requests almost certainly.
  const amount = { runs: countOf(20, 10), atLeast: countOf(100, 40) };
  const seed = isThorough ? undefined : Number(process.env.SEED ?? 1);
  await checkAgainstModel(createDockerRuntime, { ...amount, maxCommands: 20, seed, endOnFailure: true });
  expect.hasAssertions();
});

async function createDockerRuntime(): Promise<RuntimeUnderTest> {
  const clock = createRealClock();
  const sandboxImage = 'registry.k8s.io/pause:3.9';
  const backend = await createDockerBackend({ clock, host: host ?? '', sandboxImage });
  const runtime = await createRuntime({ backend, clock });
  const cri = callDirectly(runtime.service);
  const events = followTwice(runtime.service);
  const images = {
    steady: 'registry.k8s.io/e2e-test-images/busybox:1.29-2',
    changing: 'registry.k8s.io/e2e-test-images/nginx:1.14-2',
  };
  await cri.pullImage({ image: { image: images.steady } });
  await cri.removeImage({ image: { image: images.changing } });
  const isEnding = async () => {
    const filter = {
      state: { state: ContainerState.CONTAINER_RUNNING },
      labelSelector: { behavior: 'ends' },
    };
    return (await cri.listContainers({ filter })).containers.length > 0;
  };
  return {
    cri,
    commands: {
      steady: ['sleep', '1000000'],
      stubborn: ['sh', '-c', 'trap "" TERM; while :; do sleep 1000; done'],
      ends: ['sh', '-c', 'exit 3'],
      missing: ['/missing'],
    },
    images,
    events,
    exit: undefined,
    kindOf: (error) => {
      if (error instanceof CriError) return error.kind;
      throw error;
    },
    run: (request) => request(),
    settle: async (requests) => {
      await requests;
      while (await isEnding()) await clock.sleep(20);
    },
    close: async () => {
      const { items } = await cri.listPodSandbox({});
      await Promise.all(items.map(({ id }) => cri.removePodSandbox({ podSandboxId: id })));
      await runtime.close();
    },
  };
}

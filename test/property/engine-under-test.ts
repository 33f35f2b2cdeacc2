import type { VirtualClock } from '../../src/base/clock/virtual-clock.js';
import { CriError } from '../../src/cri/errors.js';
import type { Backend } from '../../src/runtime/engine/backend.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { callDirectly } from './cri.js';
import { followTwice } from './events.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

/** Longer than any grace period, start or image pull (ms). */
const LONG = 60_000;

/** The engine with a backend, called without a server, in virtual time. */
export async function createEngineUnderTest(
  backend: Backend,
  clock: VirtualClock,
  commands: RuntimeUnderTest['commands'],
): Promise<RuntimeUnderTest> {
  const runtime = await createRuntime({ backend, clock });
  const cri = callDirectly(runtime.service);
  const events = followTwice(runtime.service, (follow) => clock.run(follow));
  const images = {
    steady: 'registry.k8s.io/e2e-test-images/busybox:1.29-2',
    changing: 'docker.io/library/changing:1',
  };
  const settle = async (requests: Promise<unknown>) => {
    let answered = false;
    const done = () => {
      answered = true;
    };
    requests.then(done, done);
    if (!(await clock.runUntil(() => answered, LONG)))
      throw new Error('requests were not answered within a minute');
    await clock.advance(1000);
  };
  const pulled = clock.run(() => cri.pullImage({ image: { image: images.steady } }));
  await settle(pulled);
  return {
    cri,
    commands,
    images,
    events,
    exit: (id, exitCode) => runtime.exitContainer(id, { exitCode }),
    kindOf: (error) => {
      if (error instanceof CriError) return error.kind;
      throw error;
    },
    run: (request) => clock.run(request),
    settle,
    close: () => runtime.close(),
  };
}

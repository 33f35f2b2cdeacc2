import { it } from 'vitest';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { countOf, ofAll } from '../support/thorough.js';
import { checkAgainstModel } from './commands.js';
import { createEngineUnderTest } from './engine-under-test.js';
import { createFakeBackend } from './fake-backend.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

const ALL_RUNS = 110;
const RUNS = countOf(ALL_RUNS, 3);

it(`any requests, parallel or sequential, have the outcomes of the model (${ofAll(RUNS, ALL_RUNS, 'runs')})`, async () => {
  await checkAgainstModel(createFakeRuntime, { runs: RUNS, atLeast: countOf(10_000, 125) });
});

async function createFakeRuntime(): Promise<RuntimeUnderTest> {
  const clock = createVirtualClock();
  const backend = createFakeBackend(clock);
  backend.delays = { runSandbox: 3, createContainer: 2, startContainer: 2, removeContainer: 1, pull: 5 };
  return createEngineUnderTest(backend, clock, {
    steady: ['sleep', '1000000'],
    stubborn: ['ignore-term'],
    ends: ['exit', '3'],
    missing: ['missing'],
  });
}

import { it } from 'vitest';
import { createVirtualClock } from '../../src/clock/virtual-clock.js';
import { checkAgainstModel } from './commands.js';
import { createEngineWorld } from './engine-world.js';
import { createFakeBackend } from './fake-backend.js';
import type { World } from './world.js';

it('answers any requests, at once or one after the other, as the model does', async () => {
  await checkAgainstModel(createFakeWorld, { runs: 110, atLeast: 10_000 });
}, 120_000);

async function createFakeWorld(): Promise<World> {
  const clock = createVirtualClock();
  const backend = createFakeBackend(clock);
  backend.delays = { runSandbox: 3, createContainer: 2, startContainer: 2, removeContainer: 1, pull: 5 };
  return createEngineWorld(backend, clock, {
    steady: ['sleep', '1000000'],
    stubborn: ['ignore-term'],
    ends: ['exit', '3'],
    missing: ['missing'],
  });
}

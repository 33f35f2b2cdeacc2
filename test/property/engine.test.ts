import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../src/clock/virtual-clock.js';
import { checkRun, commands, newSituation, type Situation } from './commands.js';
import { createEngineWorld } from './engine-world.js';
import { createFakeBackend } from './fake-backend.js';
import type { World } from './world.js';

it('answers any requests, at once or one after the other, as the model does', async () => {
  const counter = { operations: 0 };
  await fc.assert(
    fc.asyncProperty(commands, async (issues) => {
      const world = await createFakeWorld();
      const situation: Situation = newSituation(counter);
      try {
        await fc.asyncModelRun(() => ({ model: situation, real: world }), issues);
        checkRun(situation, world);
      } finally {
        await world.close();
      }
    }),
    { numRuns: 60 },
  );
  expect(counter.operations).toBeGreaterThan(5000);
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

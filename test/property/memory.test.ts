import { expect, it } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import type { CommandTable } from '../../src/linux/commands/programs.js';
import { countOf, ofAll } from '../support/thorough.js';
import { checkAgainstModel } from './commands.js';
import { createEngineUnderTest } from './engine-under-test.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

const ALL_RUNS = 110;
const RUNS = countOf(ALL_RUNS, 3);

it(`any requests to the memory backend have the outcomes of the model (${ofAll(RUNS, ALL_RUNS, 'runs')})`, async () => {
  await checkAgainstModel(createMemoryRuntime, { runs: RUNS, atLeast: countOf(10_000, 125) });
  expect.hasAssertions();
});

const FOREVER = 2 ** 40;

const programs: CommandTable = {
  steady: async (process) => {
    process.onSignal('TERM', () => {
      process.container.kill(process.pid, 'KILL');
    });
    await process.sleep(FOREVER);
    return { code: 0 };
  },
  stubborn: async (process) => {
    process.onSignal('TERM', 'ignore');
    await process.sleep(FOREVER);
    return { code: 0 };
  },
  ends: async () => ({ code: 3 }),
  echo: async () => ({ code: 0 }),
};

async function createMemoryRuntime(): Promise<RuntimeUnderTest> {
  const clock = createVirtualClock();
  const backend = createMemoryBackend({ clock, programs: { find: async (name) => programs[name] } });
  return createEngineUnderTest(backend, clock, {
    steady: ['steady'],
    stubborn: ['stubborn'],
    ends: ['ends'],
    missing: ['missing'],
  });
}

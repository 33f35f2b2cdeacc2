import { expect, test } from 'vitest';
import { run, staticPods } from '../support/simulate.js';

test('virtual time over a real socket gives, call by call, what it gives in process', async () => {
  const scenario = { pods: staticPods(['crash-exit1', 'poststart-fails', 'probes']), until: '120s' };
  const over = await run(scenario, { over: 'socket' });
  expect(over.calls.length).toBeGreaterThan(400);
  expect(over).toEqual(await run(scenario));
});

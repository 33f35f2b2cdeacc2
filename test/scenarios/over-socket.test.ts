import { expect, test } from 'vitest';
import { overSocket } from '../support/over-socket.js';
import { run, staticPods } from '../support/simulate.js';

test('virtual time over a real socket gives, call by call, what it gives in process', async () => {
  const scenario = { pods: staticPods(['crash-exit1', 'poststart-fails', 'probes']), until: '120s' };
  const socket = await overSocket();
  try {
    const over = await run(scenario, { connect: socket.connect });
    expect(over.calls.length).toBeGreaterThan(400);
    expect(over).toEqual(await run(scenario));
  } finally {
    await socket.close();
  }
});

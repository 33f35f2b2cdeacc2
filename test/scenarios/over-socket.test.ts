import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { Simulation } from '../../src/scenario/run-recorder.js';
import { run, staticPods } from '../support/simulate.js';

test('virtual time over a real socket gives, call by call, what it gives in process', async () => {
  const scenario = { pods: staticPods(['crash-exit1', 'poststart-fails', 'probes']), until: '120s' };
  const over = await run(scenario, { over: 'socket' });
  expect(over.calls.length).toBeGreaterThan(400);
  expect(inOrder(over)).toEqual(inOrder(await run(scenario)));
});

test('eight runs, in process and over a socket by turns, are the same to the byte', async () => {
  const scenario = { pods: staticPods(['crash-exit1', 'onfailure-exit1']), until: '90s' };
  const hashes = new Set<string>();
  for (let index = 0; index < 8; index++) {
    const result = await run(scenario, { over: index % 2 === 0 ? 'socket' : 'process' });
    hashes.add(
      createHash('sha256')
        .update(JSON.stringify(inOrder(result)))
        .digest('hex'),
    );
  }
  expect(hashes.size).toBe(1);
});

/** The runtime is away for a moment, and the kubelet falls back from events to lists. */
const fallBack = {
  kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
  pods: staticPods(['crash-hostnetwork']),
  timeline: [{ at: '5s', do: { restartRuntime: { downFor: '400ms' } } }],
  until: '6s',
};

/** The same, and one that the generic PLEG and its calls under way live through. */
const restarts = [
  { ...fallBack, until: '20s' },
  {
    pods: staticPods(['crash-exit1', 'probes']),
    timeline: [{ at: '5s', do: { restartRuntime: { downFor: '3s' } } }],
    until: '20s',
  },
];

test.each(restarts)(
  'a restart of the runtime in virtual time is the same over a socket',
  async (scenario) => {
    const over = await run(scenario, { over: 'socket' });
    expect(over.log.some(({ text }) => text.includes('connection error'))).toBe(true);
    expect(over).toEqual(await run(scenario));
  },
);

test('a fall-back in real time has the rows, the log and the metrics of that in virtual time', async () => {
  const real = story(await run(fallBack, { over: 'socket', time: 'real' }));
  expect(real).toEqual(story(await run(fallBack)));
});

/** Calls that pods make at the same instant have no order; over a socket it is another one. */
function inOrder({ metrics, ...result }: Simulation): unknown {
  const calls = result.calls.map(({ t, rpc }) => `${t.toFixed(3).padStart(10)} ${rpc}`);
  return {
    ...result,
    calls: calls.sort(),
    metrics: metrics.map(({ t, values }) => ({ t, values: [...values] })),
  };
}

/** What happened without when, and without how each side puts it that nobody listens. */
function story({ rows, log, metrics }: Simulation): unknown {
  const lines = log.filter(({ text }) => /^(Evented PLEG|GetContainerEvents|Fall back)/.test(text));
  const counts = ['evented_pleg_connection_error_count', 'evented_pleg_connection_success_count'];
  return {
    rows: rows.map(({ pod, ready, status, restarts }) => `${pod} ${ready} ${status} ${restarts}`),
    log: lines.map(({ text }) => text.replace(/ desc = .*/, '')),
    metrics: counts.map((name) => metrics.at(-1)?.values.get(`kubelet_${name}`)),
  };
}

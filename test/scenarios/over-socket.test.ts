import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import type { Simulation } from '../../src/lab/scenario/run/run.js';
import { createTape } from '../../src/tape/tape.js';
import { run, staticPods } from '../support/scenario/simulate.js';
import { countOf, isThorough, ofAll } from '../support/thorough.js';

const slow = test.runIf(isThorough);

slow('virtual time over a real socket gives the same result as in process, call by call', async () => {
  const scenario = { pods: staticPods(['crash-exit1', 'poststart-fails', 'probes']), until: '120s' };
  const over = await run(scenario, { over: 'socket' });
  expect(over.calls.length).toBeGreaterThan(400);
  expect(inOrder(over)).toEqual(inOrder(await run(scenario)));
});

const ALL_RUNS = 8;
const RUNS = countOf(ALL_RUNS, 2);

slow(
  `runs that alternate in process and over a socket are identical (${ofAll(RUNS, ALL_RUNS, 'runs')})`,
  async () => {
    const scenario = { pods: staticPods(['crash-exit1', 'onfailure-exit1']), until: '90s' };
    const hashes = new Set<string>();
    for (let index = 0; index < RUNS; index++) {
      const result = await run(scenario, { over: index % 2 === 0 ? 'socket' : 'process' });
      hashes.add(
        createHash('sha256')
          .update(JSON.stringify(inOrder(result)))
          .digest('hex'),
      );
    }
    expect(hashes.size).toBe(1);
  },
);

/** The runtime is absent for a moment, and the kubelet falls back from events to lists. */
const fallBack = {
  kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
  pods: staticPods(['crash-hostnetwork']),
  timeline: [{ at: '5s', do: { restartRuntime: { downFor: '400ms' } } }],
  until: '6s',
};

/** The same, and one during which the generic PLEG has calls in progress. */
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

slow('a fallback in real time has the same rows, log and failed connections as in virtual time', async () => {
  // First, because it loads what is loaded on first use. In real time that would delay the container by seconds.
  const virtual = story(await run(fallBack));
  expect(story(await run(fallBack, { over: 'socket', tape: createTape(createRealClock()) }))).toEqual(
    virtual,
  );
});

/** Calls of pods at the same instant have no defined order; over a socket the order differs. */
function inOrder({ metrics, ...result }: Simulation): unknown {
  const calls = result.calls.map(({ t, rpc }) => `${t.toFixed(3).padStart(10)} ${rpc}`);
  return {
    ...result,
    calls: calls.sort(),
    metrics: metrics.map(({ t, values }) => ({ t, values: [...values] })),
  };
}

/**
 * What happened, without times, and without each side's text for an unreachable server. How often the stream was opened is
 * left out: in real time it may be accepted once more by a server that is about to stop.
 */
function story({ rows, log, metrics }: Simulation): unknown {
  const lines = log.filter(({ text }) => /^(Evented PLEG|GetContainerEvents|Fall back)/.test(text));
  return {
    rows: rows.map(({ pod, ready, status, restarts }) => `${pod} ${ready} ${status} ${restarts}`),
    log: lines.map(({ text }) => text.replace(/ desc = .*/, '')),
    failed: metrics.at(-1)?.values.get('kubelet_evented_pleg_connection_error_count'),
  };
}

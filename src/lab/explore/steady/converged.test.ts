import { expect, test } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { createTape } from '../../../tape/tape.js';
import { keepTape } from '../../scenario/expect/kept-tape.js';
import { monitorRun } from './converged.js';

const pod = { name: 'web', namespace: 'default' };
const container = { name: 'app', attempt: 0 };

/** A run in which a container starts at 1 s. */
async function running() {
  const clock = createVirtualClock();
  const tape = createTape(clock);
  const monitor = monitorRun(tape, keepTape(tape));
  await clock.advance(1000);
  tape.write({ kind: 'container', pod, container, what: 'started' });
  return { clock, tape, monitor };
}

test('a run has converged after 100 quiet seconds in the same state', async () => {
  const { clock, monitor } = await running();
  const steady = monitor.steady();
  expect(steady.from).toBe(1000);
  await clock.advance(99_000);
  expect(monitor.hasConverged(steady, 0)).toBe(false);
  await clock.advance(1000);
  expect(monitor.hasConverged(steady, 0)).toBe(true);
  expect(monitor.hasConverged(steady, 2000)).toBe(false);
  expect(monitor.hasConverged({ ...steady, from: 3000 }, 0)).toBe(false);
});

test('another state, another generator of events, and an event each minute are no convergence', async () => {
  const { clock, tape, monitor } = await running();
  const steady = monitor.steady();
  tape.write({ kind: 'pleg', state: 'generic' });
  await clock.advance(200_000);
  expect(monitor.hasConverged(steady, 0)).toBe(false);
  expect(monitor.hasConverged(monitor.steady(), 0)).toBe(true);
  tape.write({ kind: 'container', pod, container, what: 'ended' });
  await clock.advance(200_000);
  expect(monitor.hasConverged(steady, 0)).toBe(false);
  const ended = monitor.steady();
  for (let minute = 0; minute < 5; minute++) {
    tape.write({ kind: 'log', from: 'kubelet', text: 'again' });
    await clock.advance(60_000);
  }
  expect(monitor.hasConverged(ended, 0)).toBe(false);
});

test('what comes after the end of a run does not count', async () => {
  const { tape, monitor } = await running();
  const { state } = monitor.steady();
  tape.end();
  tape.write({ kind: 'container', pod, container, what: 'ended' });
  expect(monitor.steady().state).toBe(state);
});

test('a hundred starts are a runaway', async () => {
  const { tape, monitor } = await running();
  for (let attempt = 1; attempt < 100; attempt++)
    tape.write({ kind: 'container', pod, container: { name: 'app', attempt }, what: 'started' });
  expect(monitor.isRunaway()).toBe(false);
  tape.write({ kind: 'container', pod, container: { name: 'app', attempt: 100 }, what: 'started' });
  expect(monitor.isRunaway()).toBe(true);
});

import { expect, test } from 'vitest';
import { run, staticPods } from '../support/scenario/simulate.js';

const crash = { pods: staticPods(['crash-hostnetwork']), until: '100s' };
const relists = (calls: readonly { t: number; rpc: string }[], from: number, to: number) =>
  calls.filter(({ t, rpc }) => rpc === 'ListPodSandbox' && t > from && t <= to).length;

test('evented ≤ 1.36: no relist every second, and a restart whose row Error is too short to see', async () => {
  const { rows, calls } = await run({
    ...crash,
    kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
  });
  const lasting = rows.filter(({ t }, index) => (rows[index + 1]?.t ?? Number.POSITIVE_INFINITY) - t > 0.2);
  const shown = lasting.map(({ status, restarts }) => `${status} ${restarts}`);
  expect(shown.slice(0, 3)).toEqual(['Running 0', 'Running 1', 'Error 1']);
  const housekeeping = 30;
  expect(relists(calls, 30, 90)).toBeLessThanOrEqual(housekeeping + 5);
});

test('evented ≤ 1.36: a restart of the runtime causes five immediate failures, and events stay off', async () => {
  const { calls, log } = await run({
    ...crash,
    kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
    timeline: [
      { at: '56s', do: { runtime: 'down' } },
      { at: '56.4s', do: { runtime: 'up' } },
    ],
  });
  expect(log.filter((line) => line.text.includes('Failed to get container events'))).toHaveLength(5);
  expect(log.filter((line) => line.text.includes('Fall back to Generic PLEG'))).toHaveLength(1);
  expect(relists(calls, 60, 100)).toBeGreaterThanOrEqual(55);
});

test('evented 1.37: the generic PLEG keeps its period, and the end of a container is seen immediately', async () => {
  const { calls, rows } = await run({
    ...crash,
    kubelet: { version: '1.37', featureGates: { EventedPLEG: true } },
  });
  expect(relists(calls, 30, 90)).toBeGreaterThanOrEqual(85);
  const running = rows.find(({ status, restarts }) => status === 'Running' && restarts === 0);
  const error = rows.find(({ restarts, t }) => restarts === 0 && t > (running?.t ?? 0));
  expect((error?.t ?? 0) - (running?.t ?? 0)).toBeLessThan(3.3);
});

test('evented ≤ 1.36: the stream fails while a relist waits for the runtime, and the run continues', async () => {
  const { nodes, log } = await run({
    ...crash,
    kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
    faults: [
      { match: { method: 'ListContainers' }, when: { during: { for: '40s' } }, then: { delay: '25s' } },
      {
        match: { method: 'GetContainerEvents' },
        on: 'message',
        when: { during: { from: '28s' }, times: 1 },
        then: { close: { code: 'UNAVAILABLE', message: 'error reading from server: EOF' } },
      },
    ],
  });
  expect(log.filter((line) => line.text.includes('Failed to get container events')).length).toBeGreaterThan(
    0,
  );
  expect(nodes.at(-1)?.ready).toBe('True');
});

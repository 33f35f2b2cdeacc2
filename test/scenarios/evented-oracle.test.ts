import { beforeAll, expect, test } from 'vitest';
import type { SimulatedRow, Simulation } from '../../src/lab/scenario/run/run.js';
import { readMetrics } from '../../src/lab/scenario/simulation/simulate.js';
import { recorded, recordedText, run, staticPods } from '../support/scenario/simulate.js';

/**
 * In the recording the runtime restarted 56 s after the kubelet's start, and accepted connections one second later.
 */
const RESTART = 56;

const real = recorded<SimulatedRow>('evented-rows.jsonl').map((row) => ({
  ...row,
  pod: row.pod.replace('-mock-node2', ''),
}));
let ours: Simulation;

beforeAll(async () => {
  ours = await run({
    kubelet: { version: '1.36', featureGates: { EventedPLEG: true } },
    pods: staticPods(['steady-hostnetwork', 'crash-hostnetwork']),
    timeline: [{ at: `${RESTART}s`, do: { restartRuntime: { downFor: '1500ms' } } }],
    until: '114500ms',
  });
});

test.each(['crash', 'steady'])('pod %s has the rows of the real kubelet, in order', (pod) => {
  const texts = (rows: readonly SimulatedRow[]) =>
    rows
      .filter((row) => row.pod.startsWith(pod))
      .map(({ ready, status, restarts }) => `${ready} ${status} ${restarts}`);
  // The first end lasted less than 50 ms, too short for a recording with samples every 200 ms.
  const shown = texts(ours.rows).filter((text) => text !== '0/1 Error 0');
  expect(shown).toEqual(texts(real));
});

test('CrashLoopBackOff appears at a tick of five seconds, as in the recording', () => {
  const delays = (rows: readonly SimulatedRow[]) =>
    rows.flatMap(({ t, status }, index) => {
      const before = rows[index - 1];
      return status === 'CrashLoopBackOff' && before !== undefined ? [t - before.t] : [];
    });
  const crash = (rows: readonly SimulatedRow[]) => rows.filter(({ pod }) => pod.startsWith('crash'));
  for (const delay of [...delays(crash(real)), ...delays(crash(ours.rows))]) {
    expect(delay).toBeGreaterThan(1);
    expect(delay).toBeLessThan(5);
  }
});

test('the log has the lines of the fallback, in order', () => {
  const lines = ours.log.filter(({ text }) => /^"?(Evented PLEG|GetContainerEvents|Fall back)/.test(text));
  const dialing =
    'rpc error: code = Unavailable desc = connection error: desc = "transport: Error while dialing: dial';
  const failed = '"Evented PLEG: Failed to get container events, retrying: " err=';
  const quoted = (text: string) => JSON.stringify(text).slice(0, -1);
  const unreached = [
    `"GetContainerEvents failed to get streaming client" err=${quoted(dialing)}`,
    `${failed}${quoted(dialing)}`,
  ];
  const expected = [
    `${failed}"rpc error: code = Unavailable desc = error reading from server: EOF"`,
    ...unreached,
    ...unreached,
    ...unreached,
    ...unreached,
    '"Fall back to Generic PLEG relisting since Evented PLEG is not working"',
  ];
  expect(lines.map(({ text }, index) => text.slice(0, expected[index]?.length))).toEqual(expected);
  expect(lines.every(({ t }) => t === RESTART)).toBe(true);
});

test('the metrics are those of the real kubelet', () => {
  const theirs = readMetrics(recordedText('evented-metrics.txt'));
  const mine = ours.metrics.at(-1)?.values ?? new Map<string, number>();
  const same = [
    'kubelet_evented_pleg_connection_error_count',
    'kubelet_evented_pleg_connection_success_count',
    'kubelet_evented_pleg_connection_latency_seconds_count',
    'kubelet_pleg_discard_events',
    'kubelet_pleg_pod_relist_duration_seconds_count',
    'kubelet_running_pods',
    'kubelet_running_containers{container_state="created"}',
  ];
  for (const name of same) expect([name, mine.get(name)]).toEqual([name, theirs.get(name)]);
  // Eight relists were long after the last successful one: five forced ones, and three while the runtime was
  // unreachable.
  const late = (values: ReadonlyMap<string, number>) =>
    (values.get('kubelet_pleg_relist_interval_seconds_bucket{le="+Inf"}') ?? 0) -
    (values.get('kubelet_pleg_relist_interval_seconds_bucket{le="10"}') ?? 0);
  expect(late(mine)).toBe(late(theirs));
  const relists = 'kubelet_pleg_relist_duration_seconds_count';
  expect(mine.get(relists)).toBeGreaterThan((theirs.get(relists) ?? 0) - 4);
  expect(mine.get(relists)).toBeLessThan((theirs.get(relists) ?? 0) + 4);
});

import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { aStatus, observed, probe, setup } from '../../../test/support/kubelet/probe-manager.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';

describe('workers', () => {
  test('probe once per period, even if timers of a real machine fire slightly early', async () => {
    const base = createVirtualClock();
    const clock = {
      ...base,
      sleep: (delay: number, signal?: AbortSignal) => base.sleep(Math.max(0, delay - 0.4), signal),
    };
    const { manager, seen } = observed('1.36', undefined, clock);
    await base.advance(3_600_000);
    const pod = aPod({ containers: [aContainer({ livenessProbe: probe({ periodSeconds: 3 }) })] });
    manager.addPod(pod);
    await base.advance(10_000);
    manager.removePod(pod);
    expect(seen.map((each) => Math.round(each / 1000))).toEqual([3600, 3603, 3606, 3609]);
  });

  test('pass the first result of a container to the loop before they have another, even if a probe takes no time', async () => {
    const { clock, updates, begin, runContainer } = await setup(
      { livenessProbe: probe({ failureThreshold: 1 }) },
      [1],
    );
    runContainer();
    begin();
    clock.setTimer(0, () => {
      updates.push('the loop has the first result');
    });
    await clock.advance(100);
    expect(updates).toEqual(['0 liveness success', 'the loop has the first result', '0 liveness failure']);
  });

  test('pass the result of a probe that takes time to the loop before or after the rest of its instant', async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const probes = { livenessProbe: probe({ failureThreshold: 1 }) };
      const { clock, updates, begin, runContainer } = await setup(probes, [1], '1.36', 500, seed);
      runContainer();
      begin();
      clock.setTimer(500, () => {
        clock.setTimer(0, () => {
          updates.push('rest');
        });
      });
      await clock.advance(1000);
      outcomes.add(updates.slice(1).join(', '));
    }
    expect([...outcomes].sort()).toEqual(['0.5 liveness failure, rest', 'rest, 0.5 liveness failure']);
  });

  test('of one instant see the status before or after the first result of another one', async () => {
    const outcomes = new Set<string>();
    for (let seed = 1; seed <= 20; seed++) {
      const probes = { startupProbe: probe(), livenessProbe: probe({ failureThreshold: 1 }) };
      const { clock, shown, updates, begin, runContainer } = await setup(probes, [1], '1.36', 0, seed);
      // Until the startup probe has a result, a restarted container shows what the one before it was.
      shown.started = true;
      runContainer();
      begin();
      await clock.advance(1000);
      outcomes.add(updates.includes('0 liveness failure') ? 'probes as started' : 'waits for startup');
    }
    expect([...outcomes].sort()).toEqual(['probes as started', 'waits for startup']);
  });

  test('of a kubelet that has just started wait for a fraction of their period', async () => {
    const { clock, probed, begin, runContainer, pod, manager } = await setup({ livenessProbe: probe() });
    runContainer();
    begin();
    await clock.advance(0);
    expect(probed).toEqual([0]);
    const young = createVirtualClock();
    const { manager: other, seen } = observed('1.36', undefined, young);
    other.addPod(pod);
    await young.advance(9_999);
    expect(seen).toHaveLength(1);
    expect(seen[0]).toBeGreaterThan(0);
    other.removePod(pod);
    manager.removePod(pod);
  });

  test('that are stopped during that wait still probe once', async () => {
    const clock = createVirtualClock();
    const { manager, seen } = observed('1.36', undefined, clock);
    const pod = aPod({ containers: [aContainer({ livenessProbe: probe() })] });
    manager.addPod(pod);
    await clock.advance(0);
    manager.removePod(pod);
    await clock.advance(60_000);
    expect(seen).toHaveLength(1);
  });

  test('of a terminating pod stop, except readiness probes and the probes of sidecars', async () => {
    const clock = createVirtualClock();
    const { manager, seen } = observed('1.36', undefined, clock);
    await clock.advance(3_600_000);
    const [livenessProbe, readinessProbe] = [probe(), probe()];
    const pod = aPod({
      initContainers: [aContainer({ name: 'side', restartPolicy: 'Always', livenessProbe })],
      containers: [aContainer({ livenessProbe, readinessProbe })],
    });
    manager.addPod(pod);
    await clock.advance(1_000);
    expect(seen).toHaveLength(3);
    manager.stopLivenessAndStartup(pod);
    await clock.advance(10_000);
    expect(seen).toHaveLength(5);
    manager.removePod(pod);
  });

  test.each([
    ['1.34', 'OnFailure', undefined, true],
    ['1.32', 'Never', 'Always', false],
    ['1.33', 'Never', 'Always', true],
    ['1.34', 'Never', 'Always', true],
    ['1.35', 'OnFailure', undefined, false],
    ['1.35', 'Never', 'Always', true],
  ] as const)(
    'of kubelet %s, in a pod with policy %s, continue after a container with policy %s succeeded: %s',
    async (version, restartPolicy, own, goesOn) => {
      const clock = createVirtualClock();
      const end = { exitCode: 0, reason: '', message: '', startedAt: 0n, finishedAt: 0n, containerID: '' };
      const { manager, seen } = observed(version, aStatus({ kind: 'terminated', ...end }), clock);
      await clock.advance(3_600_000);
      const container = aContainer({
        name: 'side',
        livenessProbe: probe(),
        ...(own && { restartPolicy: own }),
      });
      const pod = own
        ? aPod({ restartPolicy, initContainers: [container] })
        : aPod({ restartPolicy, containers: [container] });
      manager.addPod(pod);
      await clock.advance(15_000);
      expect(seen.length > 1).toBe(goesOn);
      manager.removePod(pod);
    },
  );

  test('end with their pod', async () => {
    const { clock, probed, begin, runContainer, pod, manager } = await setup({ livenessProbe: probe() });
    runContainer();
    begin();
    await clock.advance(10_000);
    manager.removePod(pod);
    await clock.advance(60_000);
    expect(probed).toEqual([0, 10]);
    expect(manager.result('liveness', 'c1')).toBeUndefined();
  });

  test('end with their kubelet', async () => {
    const { clock, probed, begin, runContainer, abort } = await setup({ livenessProbe: probe() });
    runContainer();
    begin();
    await clock.advance(0);
    abort.abort();
    await clock.advance(60_000);
    expect(probed).toEqual([0]);
  });
});

test('an ended probe does not start again while an earlier one continues', async () => {
  const { clock, updates, shown, begin, runContainer, manager, pod, view } = await setup({
    restartPolicy: 'Never',
    readinessProbe: probe({ periodSeconds: 60 }),
    livenessProbe: probe({ periodSeconds: 1 }),
  });
  runContainer();
  begin();
  await clock.advance(100);
  const end = { exitCode: 0, reason: '', message: '', startedAt: 0n, finishedAt: 0n, containerID: '' };
  shown.state = { kind: 'terminated', ...end };
  view();
  await clock.advance(2_000);
  const before = updates.length;
  manager.addPod(pod);
  await clock.advance(2_000);
  expect(updates.slice(before)).toEqual([]);
});

test.each([
  ['1.34', 0],
  ['1.36', 3],
  ['1.37', 0],
])('of a terminating pod, kubelet %s cancels commands in progress: %d tries', async (version, tries) => {
  const { clock, events, begin, runContainer, manager, pod, cancelled } = await setup(
    { readinessProbe: probe({ periodSeconds: 5 }) },
    [0],
    version,
  );
  runContainer();
  begin();
  await clock.advance(1_000);
  manager.cancel(pod.metadata.uid);
  await clock.advance(5_000);
  expect(cancelled.length).toBe(tries);
  const errored =
    'Unhealthy: Readiness probe errored and resulted in unknown state: rpc error: code = Canceled desc = context canceled';
  expect(events).toEqual(tries === 0 ? [] : [errored]);
});

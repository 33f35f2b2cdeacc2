import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kubelet/objects.js';
import { aStatus, observed, probe, setup } from '../../../test/support/kubelet/probe-manager.js';
import { restOfInstant } from '../../base/clock/instant.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { CallError } from '../../cri/client/call-error.js';

const ENDED = {
  kind: 'terminated',
  reason: 'Error',
  message: '',
  startedAt: 0n,
  finishedAt: 0n,
  containerID: '',
} as const;

describe('a liveness probe', () => {
  test('fails at its threshold, then keeps its result until the next container instance', async () => {
    const { clock, events, updates, probed, begin, runContainer, manager } = await setup(
      { livenessProbe: probe({ initialDelaySeconds: 3, periodSeconds: 3 }) },
      [0, 1],
    );
    begin();
    await clock.advance(100);
    runContainer();
    await clock.advance(20_000);
    expect(probed).toEqual([3, 6, 9, 12]);
    expect(updates).toEqual(['3 liveness success', '12 liveness failure']);
    expect(events).toEqual(Array(3).fill('Unhealthy: Liveness probe failed: said'));
    expect(manager.result('liveness', 'c1')).toBe('failure');
    runContainer('c2');
    await clock.advance(3_000);
    expect(manager.result('liveness', 'c1')).toBeUndefined();
    expect(manager.result('liveness', 'c2')).toBe('success');
  });

  test.each([
    ['1.32', 'errored'],
    ['1.33', 'errored and resulted in unknown state'],
  ])('whose call fails is tried three times and then ignored (kubelet %s)', async (version, said) => {
    const broken = new CallError(2, 'no such container');
    const { clock, events, updates, probed, begin, runContainer } = await setup(
      { livenessProbe: probe({ failureThreshold: 1 }) },
      [broken],
      version,
    );
    runContainer();
    begin();
    await clock.advance(10_000);
    expect(probed).toEqual([0, 0, 0, 10, 10, 10]);
    expect(updates).toEqual(['0 liveness success']);
    expect(events).toEqual(
      Array(2).fill(`Unhealthy: Liveness probe ${said}: rpc error: code = Unknown desc = no such container`),
    );
  });

  test('of an ended container counts as failed, without a run', async () => {
    const { clock, probed, begin, shown, runContainer, manager, view } = await setup({
      livenessProbe: probe(),
    });
    runContainer();
    shown.state = { ...ENDED, exitCode: 1 };
    view();
    begin();
    await clock.advance(1000);
    expect(probed).toEqual([]);
    expect(manager.result('liveness', 'c1')).toBe('failure');
  });
});

describe('a readiness probe', () => {
  test('runs immediately after the container start, and decides readiness', async () => {
    const { clock, updates, probed, begin, runContainer, view } = await setup(
      { readinessProbe: probe({ periodSeconds: 2, successThreshold: 2 }) },
      [1, 0],
    );
    begin();
    await clock.advance(500);
    runContainer();
    expect(view()).toMatchObject({ ready: false, started: true });
    await clock.advance(6_000);
    expect(probed.slice(0, 4)).toEqual([0.5, 0.5, 2.5, 4.5]);
    expect(updates).toEqual(['0.5 readiness failure', '2.5 readiness success']);
    expect(view()).toMatchObject({ ready: true });
  });
});

test('an ended liveness worker does not start again while its container has a startup worker', async () => {
  const { clock, updates, begin, runContainer, shown, view, manager, pod } = await setup(
    { startupProbe: probe({ periodSeconds: 1 }), livenessProbe: probe(), restartPolicy: 'Never' },
    [0],
    '1.37',
  );
  begin();
  runContainer();
  await clock.advance(15_000);
  shown.state = { ...ENDED, exitCode: 1 };
  view();
  await clock.advance(10_000);
  expect(updates.at(-1)).toBe('20 liveness failure');
  manager.addPod(pod);
  await clock.advance(20_000);
  expect(updates.at(-1)).toBe('20 liveness failure');
});

test.each([
  ['1.34', true],
  ['1.36', false],
])(
  'kubelet %s treats a container that already runs as ready before the first probe: %s',
  async (version, ready) => {
    const { clock, shown, view } = await setup({ readinessProbe: probe() }, [0], version);
    shown.state = { kind: 'running', startedAt: clock.now() - 3_620_000_000_000n };
    expect(view()).toMatchObject({ started: true, ready });
    shown.state = { kind: 'running', startedAt: clock.now() };
    expect(view()).toMatchObject({ started: true, ready: true });
  },
);

describe('a startup probe', () => {
  test('delays the other probes until it succeeds', async () => {
    const { clock, updates, begin, runContainer, view } = await setup(
      {
        startupProbe: probe({ periodSeconds: 1, failureThreshold: 30 }),
        livenessProbe: probe({ periodSeconds: 5 }),
      },
      [1, 1, 0],
    );
    begin();
    await clock.advance(0);
    runContainer();
    expect(view()).toMatchObject({ started: false, ready: false });
    await clock.advance(6_000);
    expect(updates).toEqual(['1 startup unknown', '3 startup success', '5 liveness success']);
    expect(view()).toMatchObject({ started: true, ready: true });
  });
});

test.each([
  ['as old as the kubelet', 0, ['startup success', 'startup unknown']],
  ['older than the kubelet', 3_600_000, ['startup success']],
])('a sidecar whose status is started, %s, counts as started at first', async (_, age, found) => {
  const clock = createVirtualClock();
  const startedAt = clock.now() - BigInt(age) * 1_000_000n;
  const { manager, updates } = observed('1.36', aStatus({ kind: 'running', startedAt }), clock);
  await clock.advance(3_600_000);
  const side = aContainer({ name: 'side', restartPolicy: 'Always', startupProbe: probe() });
  const pod = aPod({ initContainers: [side] });
  manager.addPod(pod);
  await clock.advance(1_000);
  expect(updates).toEqual(found);
  manager.removePod(pod);
});

test.each([
  ['1.31', [4, 4, 10, 20]],
  ['1.32', [4, 4, 14, 24]],
])('kubelet %s probes a container that waits for its first readiness, then at %j', async (version, times) => {
  const { clock, probed, begin, runContainer } = await setup({ readinessProbe: probe() }, [0], version);
  begin();
  await clock.advance(4_000);
  runContainer();
  await clock.advance(22_000);
  expect(probed).toEqual(times);
});

test.each([
  ['1.31', new Set([0, 1])],
  ['1.32', new Set([1])],
])(
  'in kubelet %s a trigger of the instant at which a probe is due comes after %o probes, and both run',
  async (version, before) => {
    const found = new Set<number>();
    for (let seed = 1; seed <= 20; seed++) {
      const { clock, probed, begin, runContainer, view } = await setup(
        { readinessProbe: probe() },
        [1],
        version,
        0,
        seed,
      );
      begin();
      runContainer();
      await clock.advance(5_000);
      const first = probed.length;
      clock.setTimer(5_000, async () => {
        await restOfInstant(clock, 3);
        found.add(probed.length - first);
        view();
      });
      await clock.advance(6_000);
      expect(probed.slice(first)).toEqual([10, 10]);
    }
    expect(found).toEqual(before);
  },
);

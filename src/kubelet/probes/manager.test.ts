import { describe, expect, test } from 'vitest';
import { aContainer, aPod } from '../../../test/support/kube-objects.js';
import type { Clock } from '../../clock/clock.js';
import { createVirtualClock } from '../../clock/virtual-clock.js';
import { CallError } from '../../cri/client/call-error.js';
import { createRandom } from '../../random/random.js';
import { versionProfile } from '../config/profile.js';
import { createRecorder } from '../events/recorder.js';
import type { ContainerApiState, Pod, PodApiStatus, Probe } from '../types.js';
import { createProbeManager } from './manager.js';
import { createProber } from './prober.js';

const probe = (given: Partial<Probe> = {}): Probe => ({
  exec: { command: ['check'] },
  initialDelaySeconds: 0,
  timeoutSeconds: 1,
  periodSeconds: 10,
  successThreshold: 1,
  failureThreshold: 3,
  ...given,
});

/**
 * A kubelet that has run for an hour, and one of its containers. `answers` are the exit codes of the probes' commands
 * in order; the last one repeats.
 */
async function setup(
  probes: Partial<Pod['spec']['containers'][number]>,
  answers: (number | Error)[] = [0],
  version = '1.36',
) {
  const clock = createVirtualClock();
  const events: string[] = [];
  const updates: string[] = [];
  const probed: number[] = [];
  const cancelled: number[] = [];
  const shown = { state: undefined as ContainerApiState | undefined, id: 'c1' };
  const pod = aPod({ containers: [aContainer(probes)] });
  const abort = new AbortController();
  let zero = 0;

  let published: PodApiStatus | undefined;
  const now = (): PodApiStatus => ({
    phase: 'Running',
    conditions: [],
    podIPs: ['127.0.0.1'],
    initContainerStatuses: [],
    containerStatuses: [
      {
        name: 'app',
        state: shown.state ?? { kind: 'waiting', reason: '', message: '' },
        lastState: undefined,
        ready: false,
        started: false,
        restartCount: 0,
        image: '',
        imageID: '',
        containerID: shown.state === undefined ? '' : `mockri://${shown.id}`,
      },
    ],
  });
  const manager = createProbeManager({
    clock,
    random: createRandom(1),
    profile: versionProfile(version),
    signal: abort.signal,
    recorder: createRecorder(clock, ({ reason, message }) => events.push(`${reason}: ${message}`)),
    client: {
      execSync: async (_id, _command, _timeout, signal) => {
        if (signal?.aborted) {
          cancelled.push(clock.elapsed());
          throw new CallError(1, 'cancelled');
        }
        probed.push(Math.round((clock.elapsed() - zero) / 100) / 10);
        const answer = answers[Math.min(probed.length, answers.length) - 1];
        if (answer instanceof Error) throw answer;
        return { exitCode: answer ?? 0, stdout: Buffer.from('said\n'), stderr: Buffer.alloc(0) };
      },
    },
    status: () => published,
    update: ({ kind, result }) => {
      updates.push(`${(clock.elapsed() - zero) / 1000} ${kind} ${result}`);
      view();
    },
  });
  await clock.advance(3_600_000);
  const begin = () => {
    zero = clock.elapsed();
    view();
    manager.addPod(pod);
  };
  const runContainer = (id = 'c1') => {
    shown.id = id;
    shown.state = { kind: 'running', startedAt: clock.now() };
    view();
  };
  /** Publishes the pod's status, as a sync does. */
  const view = () => {
    published = manager.updateStatus(pod, now());
    return published.containerStatuses[0];
  };
  return { clock, events, updates, probed, cancelled, shown, pod, manager, begin, runContainer, view, abort };
}

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

  test('whose call fails is tried three times and then ignored', async () => {
    const broken = new CallError(2, 'no such container');
    const { clock, events, updates, probed, begin, runContainer } = await setup(
      { livenessProbe: probe({ failureThreshold: 1 }) },
      [broken],
    );
    runContainer();
    begin();
    await clock.advance(10_000);
    expect(probed).toEqual([0, 0, 0, 10, 10, 10]);
    expect(updates).toEqual(['0 liveness success']);
    expect(events).toEqual(
      Array(2).fill(
        'Unhealthy: Liveness probe errored and resulted in unknown state: rpc error: code = Unknown desc = no such container',
      ),
    );
  });

  test('of an ended container counts as failed, without a run', async () => {
    const { clock, probed, begin, shown, runContainer, manager, view } = await setup({
      livenessProbe: probe(),
    });
    runContainer();
    shown.state = {
      kind: 'terminated',
      exitCode: 1,
      reason: 'Error',
      message: '',
      startedAt: 0n,
      finishedAt: 0n,
      containerID: '',
    };
    view();
    begin();
    await clock.advance(1000);
    expect(probed).toEqual([]);
    expect(manager.result('liveness', 'c1')).toBe('failure');
  });
});

test('a command can refer to the container’s variables, with their literal values', async () => {
  const commands: unknown[] = [];
  const clock = createVirtualClock();
  const container = aContainer({
    env: [
      { name: 'DIR', value: '/tmp' },
      { name: 'FILE', value: '$(DIR)/ok' },
    ],
  });
  const client = {
    execSync: async (_id: string, command: readonly string[]) => {
      commands.push(command);
      return { exitCode: 0, stdout: Buffer.alloc(0), stderr: Buffer.alloc(0) };
    },
  };
  const run = createProber({ clock, client, recorder: { event: () => {} }, profile: versionProfile('1.36') });
  await run({
    pod: aPod({ containers: [container] }),
    container,
    containerId: 'c1',
    kind: 'liveness',
    probe: probe({ exec: { command: ['cat', '$(FILE)', '$$(DIR)', '$(NONE)'] } }),
    status: aStatus({ kind: 'running', startedAt: 0n }),
    signal: new AbortController().signal,
  });
  expect(commands).toEqual([['cat', '$(DIR)/ok', '$(DIR)', '$(NONE)']]);
});

test('an httpGet whose response breaks off is an error with result failure, and is tried three times', async () => {
  const clock = createVirtualClock();
  const events: string[] = [];
  let asked = 0;
  clock.loopback?.listen('127.64.0.1', 8080, (connection) => {
    connection.on('data', () => {
      asked++;
      connection.end('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nso');
    });
  });
  const container = aContainer();
  const httpGet = { path: '/', port: 8080, host: '127.64.0.1', scheme: 'HTTP', httpHeaders: [] } as const;
  const run = createProber({
    clock,
    client: { execSync: () => Promise.reject(new Error('unused')) },
    recorder: { event: (_pod, _type, reason, message) => events.push(`${reason}: ${message}`) },
    profile: versionProfile('1.36'),
  });
  const done = clock.run(() =>
    run({
      pod: aPod({ containers: [container] }),
      container,
      containerId: 'c1',
      kind: 'liveness',
      probe: { ...probe(), exec: undefined, httpGet },
      status: aStatus({ kind: 'running', startedAt: 0n }),
      signal: new AbortController().signal,
    }),
  );
  await clock.advance(10_000);
  expect(await done).toBeUndefined();
  expect(asked).toBe(3);
  expect(events).toEqual(['Unhealthy: Liveness probe errored and resulted in failure state: unexpected EOF']);
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
    runContainer();
    expect(view()).toMatchObject({ started: false, ready: false });
    await clock.advance(6_000);
    expect(updates).toEqual(['1 startup unknown', '3 startup success', '5 liveness success']);
    expect(view()).toMatchObject({ started: true, ready: true });
  });
});

/** Status of a pod whose only container, `side`, has this state and has started. */
const aStatus = (state: ContainerApiState): PodApiStatus => ({
  phase: 'Running',
  conditions: [],
  podIPs: [],
  containerStatuses: [],
  initContainerStatuses: [
    {
      name: 'side',
      state,
      lastState: undefined,
      ready: false,
      started: true,
      restartCount: 0,
      image: '',
      imageID: '',
      containerID: 'mockri://c1',
    },
  ],
});

/** A manager whose workers see `status`, the times (ms) at which they read it, and their results. */
function observed(version: string, status?: PodApiStatus, clock: Clock = createVirtualClock()) {
  const seen: number[] = [];
  const updates: string[] = [];
  const manager = createProbeManager({
    clock,
    random: createRandom(1),
    profile: versionProfile(version),
    signal: new AbortController().signal,
    recorder: { event: () => {} },
    client: { execSync: () => Promise.reject(new Error('unused')) },
    status: () => {
      seen.push(clock.elapsed());
      return status;
    },
    update: ({ kind, result }) => updates.push(`${kind} ${result}`),
  });
  return { manager, seen, updates };
}

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
    ['1.34', 'Never', 'Always', false],
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

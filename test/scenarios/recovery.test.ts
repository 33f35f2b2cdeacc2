import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import type { SimulatedContainerEvent, SimulatedRow } from '../../src/lab/scenario/run/run.js';
import { readPodPlans } from '../support/recordings/pod-histories/manifests.js';
import { run, staticPods } from '../support/scenario/simulate.js';
import { countOf, isThorough, ofAll, sampleOf } from '../support/thorough.js';

const slow = test.runIf(isThorough);

const textOf = ({ ready, status, restarts }: SimulatedRow) => `${ready} ${status} ${restarts}`;

/** Instants of a restart, in ms: within six seconds from the start, and within twelve. */
const early = Array.from({ length: 31 }, (_, index) => index * 200);
const late = Array.from({ length: 16 }, (_, index) => 250 + index * 750);
const [someEarly, someLate] = [sampleOf(early, 1), sampleOf(late, 1)];

test(`a kubelet killed at any time recovers: no second container with the same name, restart counts continue (${ofAll(someEarly.length, early.length, 'instants')})`, async () => {
  for (const instant of someEarly) {
    const at = `${instant}ms`;
    const { calls, rows } = await run({
      pods: staticPods(['onfailure-exit1']),
      timeline: [{ at, do: { kubelet: 'restart' } }],
      until: '30s',
    });
    const sandboxes = calls.filter(({ rpc }) => rpc === 'RunPodSandbox').length;
    expect(sandboxes, `sandboxes after a restart at ${at}`).toBeLessThanOrEqual(2);
    const counts = rows.filter(({ status }) => status === 'Running').map(({ restarts }) => restarts);
    expect(counts, at).toEqual([...counts].sort((a, b) => a - b));
    expect(counts.at(-1), at).toBeGreaterThanOrEqual(1);
    // An interrupted create or start leaves a container that is replaced once.
    const created = calls.filter(({ rpc }) => rpc === 'CreateContainer').length;
    expect(created, `containers after a restart at ${at}`).toBeLessThanOrEqual((counts.at(-1) ?? 0) + 2);
  }
});

test(`a kubelet killed at any time continues with init containers, sidecars and hooks (${ofAll(someLate.length, late.length, 'instants')})`, async () => {
  const names = ['init-two', 'sidecar-startup', 'hooks-exec'];
  const pods = readPodPlans()
    .filter(({ name }) => names.includes(name))
    .map(({ manifest }) => ({ static: true, manifest: JSON.parse(manifest) }));
  for (const at of someLate) {
    const timeline = [{ at: `${at}ms`, do: { kubelet: 'restart' } }];
    const { containerEvents, rows } = await run({ pods, timeline, until: '60s' });
    expect(twice(containerEvents), `running twice after a restart at ${at} ms`).toEqual([]);
    for (const name of names) {
      const last = rows.findLast(({ pod }) => pod === `${name}-mock-node`);
      expect(last?.ready, `${name}, ${at} ms`).toMatch(/^(\d)\/\1$/);
      expect(last?.status, `${name}, ${at} ms`).toBe('Running');
      // A container that was starting when the kubelet died can be started again.
      expect(last?.restarts, `${name}, ${at} ms`).toBeLessThanOrEqual(1);
    }
  }
});

/** Containers with two instances at the same time. */
function twice(containerEvents: readonly SimulatedContainerEvent[]): string[] {
  const running = new Set<string>();
  return containerEvents.flatMap(({ pod, container, what }) => {
    const name = `${pod}/${container}`;
    const isSecond = what === 'started' && running.has(name);
    if (what === 'started') running.add(name);
    else running.delete(name);
    return isSecond ? [name] : [];
  });
}

test('a runtime that is down for a minute causes no restart', async () => {
  const { rows, calls, nodes } = await run({
    pods: staticPods(['steady']),
    timeline: [
      { at: '30s', do: { runtime: 'down' } },
      { at: '90s', do: { runtime: 'up' } },
    ],
    until: '200s',
  });
  expect(rows.map(textOf)).toEqual(['0/1 ContainerCreating 0', '1/1 Running 0']);
  expect(calls.filter(({ rpc }) => rpc === 'StartContainer')).toHaveLength(1);
  const ready = nodes.map(({ ready: state, message }) => `${state} ${message}`);
  expect(ready).toContain('False container runtime is down');
  expect(ready.at(-1)).toBe('True kubelet is posting ready status');
});

slow(
  'with a dead kubelet the node becomes Unknown after the grace period, and pods are evicted five minutes later',
  async () => {
    const { nodes } = await run({
      pods: staticPods(['steady']),
      timeline: [{ at: '60s', do: { kubelet: 'kill' } }],
      until: '10m',
    });
    const unknown = nodes.find(({ ready }) => ready === 'Unknown');
    expect(unknown?.taint).toBe('node.kubernetes.io/unreachable');
    expect(unknown?.t).toBeGreaterThan(60 + 50 - 11);
    expect(unknown?.t).toBeLessThanOrEqual(60 + 50);
    expect(nodes.at(-1)).toMatchObject({ evicting: true });
    expect((nodes.at(-1)?.t ?? 0) - (unknown?.t ?? 0)).toBeCloseTo(300, 0);
  },
);

test('every housekeeping tries again to stop a removed static pod', async () => {
  const fault = {
    name: 'no',
    match: { method: 'StopPodSandbox' },
    then: { error: { code: 'UNKNOWN', message: 'no' } },
  };
  const { calls, events } = await run({
    pods: staticPods(['steady']),
    timeline: [
      { at: '20s', do: { addFault: fault } },
      { at: '30s', do: { removePod: 'steady-mock-node' } },
      { at: '79s', do: { removeFault: 'no' } },
    ],
    until: '180s',
  });
  const failures = events.filter(({ reason }) => reason === 'FailedKillPod');
  expect(failures.length).toBeGreaterThanOrEqual(5);
  const last = calls.filter(({ rpc }) => rpc === 'StopPodSandbox').find(({ t }) => t > 79);
  expect(last?.t).toBe(80);
  expect(calls.filter(({ rpc }) => rpc === 'RemovePodSandbox')).toHaveLength(1);
});

const ALL_RUNS = 8;
const RUNS = countOf(ALL_RUNS, 2);

test(`runs with one seed are identical (${ofAll(RUNS, ALL_RUNS, 'runs')})`, async () => {
  const hashes = new Set<string>();
  for (let turn = 0; turn < RUNS; turn++) {
    const result = await run({ pods: staticPods(['crash-exit1', 'probes', 'init-fails']), until: '300s' });
    hashes.add(createHash('sha256').update(JSON.stringify(result)).digest('hex'));
  }
  expect(hashes.size).toBe(1);
});

test.each([
  ['1.34', false, ['0/1 Running 0', '1/1 Running 0']],
  ['1.35', false, []],
  ['1.36', false, []],
  ['1.37', false, []],
  ['1.37', true, ['0/1 Running 0', '1/1 Running 0']],
] as const)(
  'kubelet %s, restarted: a ready API pod stays ready, because the API has its status, but a static one does not (static: %s)',
  async (version, isStatic, expected) => {
    const readinessProbe = { httpGet: { path: '/ready', port: 8080 }, periodSeconds: 10 };
    const { rows } = await run({
      kubelet: { version },
      pods: [
        {
          ...(isStatic && { static: true }),
          manifest: {
            apiVersion: 'v1',
            kind: 'Pod',
            metadata: { name: 'shop' },
            spec: { containers: [{ name: 'app', image: 'registry.example/shop:4', readinessProbe }] },
          },
          behaviors: { app: 'run,http=8080:/ready:200' },
        },
      ],
      timeline: [{ at: '2m', do: { kubelet: 'restart' } }],
      until: '3m',
    });
    expect(rows.filter(({ t }) => t >= 120).map(textOf)).toEqual(expected);
  },
);

test('a pod whose readiness failed before a restart of the kubelet is not ready until it is probed', async () => {
  const { rows } = await run({
    kubelet: { version: '1.37' },
    pods: [
      {
        manifest: {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: 'shop' },
          spec: {
            containers: [
              { name: 'app', image: 'nginx', readinessProbe: { httpGet: { port: 81 }, periodSeconds: 10 } },
            ],
          },
        },
      },
    ],
    timeline: [{ at: '2m', do: { kubelet: 'restart' } }],
    until: '3m',
  });
  expect(rows.filter(({ ready }) => ready === '1/1')).toEqual([]);
});

import { beforeAll, describe, expect, test } from 'vitest';
import { callText, fromRecording, type LoggedCall, loggingConnect } from '../support/recordings/calls.js';
import { recorded, run, staticPods } from '../support/scenario/simulate.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Calls that a pod causes; all other calls are independent of it. Other lists and statistics calls are ignored. */
const OF_A_POD = new Set([
  'RunPodSandbox',
  'PodSandboxStatus',
  'StopPodSandbox',
  'RemovePodSandbox',
  'ImageStatus',
  'PullImage',
  'CreateContainer',
  'StartContainer',
  'StopContainer',
  'ContainerStatus',
  'RemoveContainer',
]);

const between = (calls: readonly LoggedCall[], from: number, to: number): string[] =>
  calls
    .filter(({ t, rpc, scope }) => t >= from && t < to && (OF_A_POD.has(rpc) || scope === 'pod'))
    .map(callText);

/** The recorded binary reads a sandbox's status twice; upstream does not. */
const once = (texts: readonly string[]): string[] =>
  texts.filter((text, index) => text !== 'PodSandboxStatus' || texts[index - 1] !== text);

const real = recorded<Parameters<typeof fromRecording>[0]>('rpcs.jsonl').map(fromRecording);
const ours: LoggedCall[] = [];

beforeAll(async () => {
  const [steady, crash] = staticPods(['steady-hostnetwork', 'crash-hostnetwork']);
  const timeline = [
    { at: '81s', do: { addPod: crash } },
    // As in the recording, the end of the pod is seen before the housekeeping that finds it orphaned.
    { at: '124200ms', do: { removePod: 'crash-mock-node' } },
  ];
  await run({ pods: [steady], timeline, until: '170s' }, { connect: loggingConnect(ours) });
});

/** The first call of an RPC at or after a time. */
const first = (calls: readonly LoggedCall[], rpc: string, from: number): number =>
  calls.find((call) => call.rpc === rpc && call.t >= from)?.t ?? Number.NaN;

describe('one pod causes the same calls as under the real kubelet', () => {
  test('its start', async () => {
    const from = first(ours, 'RunPodSandbox', 80);
    const start = between(ours, from, from + 2);
    expect(start).toEqual(once(between(real, 80, 80.3)));
    await expect(`${start.join('\n')}\n`).toMatchFileSnapshot('golden/rpc-start.txt');
  });

  test('its restart', async () => {
    const created = first(ours, 'CreateContainer', first(ours, 'StartContainer', 80));
    const restart = between(ours, created - 1, created + 1.5);
    expect(restart).toEqual(once(between(real, 83.44, 83.6)));
    await expect(`${restart.join('\n')}\n`).toMatchFileSnapshot('golden/rpc-restart.txt');
  });

  test('its termination', async () => {
    const termination = between(ours, 124.2, 128.2);
    expect(termination).toEqual(between(real, 125, 129));
    await expect(`${termination.join('\n')}\n`).toMatchFileSnapshot('golden/rpc-termination.txt');
  });
});

/** Additional calls of the real kubelet, for cAdvisor, image and disk statistics. */
const STATISTICS = new Set(['ImageFsInfo', 'ListImages', 'Version']);

/** Number of calls per RPC within a minute. */
function minuteFrom(calls: readonly LoggedCall[], from: number): Record<string, number> {
  const minute: Record<string, number> = {};
  for (const call of calls.filter(({ t, rpc }) => t >= from && t < from + 60 && !STATISTICS.has(rpc))) {
    minute[callText(call)] = (minute[callText(call)] ?? 0) + 1;
  }
  return minute;
}

const idlePod = (index: number) => ({
  static: true,
  manifest: {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: `steady-${index}` },
    spec: {
      hostNetwork: true,
      containers: [
        {
          name: 'app',
          image: 'registry.k8s.io/e2e-test-images/busybox:1.29-2',
          command: ['sh', '-c', 'sleep 100000'],
        },
      ],
    },
  },
});

const ALL_COUNTS = [1, 100, 1000];
const counts = sampleOf(ALL_COUNTS, 1);

test.each(counts)(
  `an idle minute with %d pods (${ofAll(counts.length, ALL_COUNTS.length, 'counts')})`,
  async (count) => {
    const calls: LoggedCall[] = [];
    const pods = Array.from({ length: count }, (_, index) => idlePod(index));
    await run({ pods, until: '242s' }, { connect: loggingConnect(calls) });
    const minute = minuteFrom(calls, 181.5);
    const lines = Object.entries(minute).sort(([a], [b]) => (a < b ? -1 : 1));
    const text = lines.map(([call, number]) => `${call} ${number}\n`).join('');
    await expect(text).toMatchFileSnapshot(`golden/rpc-idle-${count}.txt`);
    // The recorded pod had an older dead instance; the log manager and the garbage collector read its status.
    if (count === 1) expect({ ...minute, ContainerStatus: 8 }).toEqual(minuteFrom(real, 18));
  },
);

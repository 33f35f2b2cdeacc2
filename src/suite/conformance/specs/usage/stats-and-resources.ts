import type {
  ContainerStats,
  MetricDescriptor,
  PodSandboxStats,
} from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must, mustEqual, mustFail, mustWork, show } from '../../expect.js';
import { podWithCgroup } from '../steps/cgroup-parent.js';

async function statsOf(t: CheckContext, containerId: string): Promise<ContainerStats> {
  const { stats } = await t.cri.containerStats({ containerId });
  must(stats !== undefined, 'stats', 'none');
  return stats;
}

const HELD = 50n * 1024n * 1024n;

/** Bytes by which the memory of a pod may fall between two readings. */
const SLACK = HELD / 8n;

/** Holds 50 MiB, which are never read, and works. */
const GREEDY = `dd if=/dev/zero bs=${HELD} count=1 2>/dev/null | sleep 100000 & while true; do :; done`;

/** CPU time and memory; 0 for missing values. */
const usedBy = (stats: Pick<ContainerStats, 'cpu' | 'memory'> | undefined) => ({
  cpu: stats?.cpu?.usageCoreNanoSeconds?.value ?? 0n,
  memory: stats?.memory?.workingSetBytes?.value ?? 0n,
});

type Used = ReturnType<typeof usedBy>;

const hasMore = ([busy, idle]: readonly Used[]): boolean =>
  busy !== undefined && idle !== undefined && busy.cpu > idle.cpu && busy.memory > idle.memory + HELD / 2n;

/** Every RPC that shows what containers of a pod use. */
function looksAt(t: CheckContext, podSandboxId: string, ids: readonly string[]) {
  const pick = (stats: readonly ContainerStats[]) =>
    ids.map((id) => usedBy(stats.find(({ attributes }) => attributes?.id === id)));
  const filter = { podSandboxId };
  const looks: Record<string, () => Promise<Used[]>> = {
    ContainerStats: () => Promise.all(ids.map(async (id) => usedBy(await statsOf(t, id)))),
    ListContainerStats: async () => pick((await t.cri.listContainerStats({ filter })).stats),
  };
  const containersOf = (pods: readonly PodSandboxStats[]) =>
    pick(pods.flatMap(({ linux }) => linux?.containers ?? []));
  if (!t.facts.missing.has('streaming lists'))
    looks.StreamContainerStats = async () => {
      const stats: ContainerStats[] = [];
      for await (const chunk of t.cri.streamContainerStats({ filter })) stats.push(...chunk.containerStats);
      return pick(stats);
    };
  if (!t.facts.missing.has('pod stats')) {
    looks.PodSandboxStats = async () => {
      const { stats } = await t.cri.podSandboxStats({ podSandboxId });
      return containersOf(stats ? [stats] : []);
    };
    looks.ListPodSandboxStats = async () =>
      containersOf((await t.cri.listPodSandboxStats({ filter: { id: podSandboxId } })).stats);
  }
  return looks;
}

export const statsChecks: Checks = {
  async 'INV-48.moves'(t) {
    const containerId = await t.script(await t.sandbox(), 'while true; do :; sleep 0.01; done');
    const look = () => statsOf(t, containerId);
    const first = await t.eventually(
      look,
      (stats) => stats.cpu?.usageCoreNanoSeconds !== undefined,
      'CPU usage',
    );
    const second = await t.eventually(
      look,
      (stats) => (stats.cpu?.timestamp ?? 0n) > (first.cpu?.timestamp ?? 0n),
      'a later timestamp of the CPU usage',
    );
    const [before, after] = [first, second].map((stats) => stats.cpu?.usageCoreNanoSeconds?.value ?? 0n) as [
      bigint,
      bigint,
    ];
    must(after >= before, `usage_core_nano_seconds >= ${before}`, String(after));
  },
  async 'INV-48.attributes'(t) {
    const containerId = await t.start(await t.sandbox(), { labels: { a: 'b' }, annotations: { c: 'd' } });
    const { attributes } = await statsOf(t, containerId);
    const status = await t.status(containerId);
    for (const field of ['id', 'metadata', 'labels', 'annotations'] as const) {
      mustEqual(attributes?.[field], status[field], `${field} in stats and status`);
    }
  },
  async 'INV-48.running-only'(t) {
    const sandbox = await t.sandbox();
    const running = await t.start(sandbox);
    const created = await t.create(sandbox);
    const exited = await t.script(sandbox, 'exit 0');
    await t.exited(exited);
    const { stats } = await t.cri.listContainerStats({ filter: undefined });
    const ids = stats.map((one) => one.attributes?.id);
    must(ids.includes(running), 'the running container', ids);
    must(!ids.includes(created) && !ids.includes(exited), 'neither the created nor the exited one', ids);
  },
  async 'INV-48.filter'(t) {
    const sandbox = await t.sandbox();
    const web = await t.start(sandbox, { labels: { role: 'web' } });
    await t.start(sandbox, { labels: { role: 'side' } });
    const listed = async (filter: object) =>
      (await t.cri.listContainerStats({ filter: filter })).stats.map((one) => one.attributes?.id);
    mustEqual(
      await listed({ podSandboxId: sandbox.id, labelSelector: { role: 'web' } }),
      [web],
      'by pod and label',
    );
    mustEqual(await listed({ id: web }), [web], 'by id');
    mustEqual(
      await listed({ id: web, labelSelector: { role: 'side' } }),
      [],
      'by id and a label that it does not have',
    );
  },
  async 'INV-48.own'(t) {
    const sandbox = await podWithCgroup(t);
    const idle = await t.start(sandbox);
    const busy = await t.script(sandbox, GREEDY);
    for (const [name, look] of Object.entries(looksAt(t, sandbox.id, [busy, idle])))
      await t.eventually(
        look,
        hasMore,
        `CPU time and ${HELD / 2n} bytes more of the busy container in ${name}`,
      );
    if (t.facts.missing.has('pod stats')) return;
    const containers = await Promise.all([busy, idle].map((id) => statsOf(t, id)));
    const { stats } = await t.cri.podSandboxStats({ podSandboxId: sandbox.id });
    const { cpu, memory } = stats?.linux ?? {};
    for (const one of containers.map(usedBy)) {
      // Some runtimes give a pod no more than its network.
      const of = usedBy({ cpu, memory });
      if (cpu) must(one.cpu <= of.cpu, `at least ${one.cpu} ns of CPU time of the pod`, String(of.cpu));
      if (memory)
        must(one.memory <= of.memory + SLACK, `at least ${one.memory} bytes of the pod`, String(of.memory));
    }
  },
  async 'INV-48.pod'(t) {
    const sandbox = await podWithCgroup(t, { labels: { a: 'b' } });
    const containerId = await t.start(sandbox);
    const { stats } = await t.cri.podSandboxStats({ podSandboxId: sandbox.id });
    const status = await t.sandboxStatus(sandbox.id);
    for (const field of ['id', 'metadata', 'labels', 'annotations'] as const) {
      mustEqual(stats?.attributes?.[field], status[field], `${field} in stats and status`);
    }
    must(
      (stats?.linux === undefined) !== (stats?.windows === undefined),
      'linux or windows, not both',
      stats,
    );
    const ids = (stats?.linux?.containers ?? stats?.windows?.containers ?? []).map(
      (one) => one.attributes?.id,
    );
    must(ids.includes(containerId), 'the container in the pod’s stats', ids);
  },
  async 'INV-48.pod-filter'(t) {
    const app = t.name('app');
    const one = await podWithCgroup(t, { labels: { app, tier: 'front' } });
    const two = await podWithCgroup(t, { labels: { app, tier: 'back' } });
    const cases: readonly [object, readonly string[]][] = [
      [{ labelSelector: { app } }, [one.id, two.id]],
      [{ id: one.id }, [one.id]],
      [{ labelSelector: { app, tier: 'back' } }, [two.id]],
      [{ id: one.id, labelSelector: { tier: 'back' } }, []],
    ];
    for (const [filter, expected] of cases) {
      const { stats } = await t.cri.listPodSandboxStats({ filter });
      const ids = stats.map(({ attributes }) => attributes?.id ?? '');
      mustEqual(ids.sort(), [...expected].sort(), `the pods in ListPodSandboxStats ${show(filter)}`);
    }
  },
  async 'INV-49.descriptors'(t) {
    await t.start(await t.sandbox());
    const { descriptors } = await t.cri.listMetricDescriptors({});
    const { podMetrics } = await t.cri.listPodSandboxMetrics({});
    const keys = new Map(descriptors.map((one) => [one.name, one.labelKeys]));
    for (const pod of podMetrics) {
      for (const metric of [...pod.metrics, ...pod.containerMetrics.flatMap((one) => one.metrics)]) {
        const expected = keys.get(metric.name);
        must(expected !== undefined, `a descriptor of ${metric.name}`, 'none');
        mustEqual(metric.labelValues.length, expected.length, `the number of label values of ${metric.name}`);
      }
    }
    mustEqual(
      byName((await t.cri.listMetricDescriptors({})).descriptors),
      byName(descriptors),
      'the descriptors in a second call',
    );
  },
};

/** containerd and CRI-O store them in Go maps, which have no order. */
const byName = (descriptors: readonly MetricDescriptor[]): MetricDescriptor[] =>
  [...descriptors].sort((a, b) => a.name.localeCompare(b.name));

const LIMITS = {
  cpuPeriod: 100_000n,
  cpuQuota: 50_000n,
  cpuShares: 512n,
  memoryLimitInBytes: 64n * 1024n * 1024n,
};

async function limitsOf(t: CheckContext, containerId: string): Promise<object> {
  const { resources } = await t.status(containerId);
  return Object.fromEntries(
    Object.keys(LIMITS).map((key) => [key, resources?.linux?.[key as keyof typeof LIMITS]]),
  );
}

export const resourceChecks: Checks = {
  async 'INV-23.update'(t) {
    const resources = {
      cpuPeriod: 100_000n,
      cpuQuota: 100_000n,
      cpuShares: 1024n,
      memoryLimitInBytes: 128n * 1024n * 1024n,
    };
    const containerId = await t.start(await t.sandbox(), { linux: { resources } });
    await mustWork(
      t.cri.updateContainerResources({ containerId, linux: LIMITS }),
      'UpdateContainerResources',
    );
    mustEqual(await limitsOf(t, containerId), LIMITS, 'the limits in the status');
  },
  async 'INV-23.update-part'(t) {
    const containerId = await t.start(await t.sandbox(), { linux: { resources: LIMITS } });
    const linux = { cpuShares: 300n };
    await mustWork(t.cri.updateContainerResources({ containerId, linux }), 'UpdateContainerResources');
    mustEqual(await limitsOf(t, containerId), { ...LIMITS, ...linux }, 'the limits in the status');
  },
  async 'INV-23.update-unknown'(t) {
    const request = { containerId: 'f'.repeat(64), linux: LIMITS };
    await mustFail(
      t.cri.updateContainerResources(request),
      'UpdateContainerResources of an unknown container',
    );
  },
};

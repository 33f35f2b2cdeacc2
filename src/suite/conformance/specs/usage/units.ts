import { availableParallelism } from 'node:os';
import type { ContainerStats, Metric } from '../../../../cri/gen/runtime/v1/api.js';
import type { Checks } from '../../check.js';
import type { CheckContext } from '../../check-context.js';
import { must } from '../../expect.js';
import { podWithCgroup } from '../steps/cgroup-parent.js';

const SECOND = 1_000_000_000n;

/** Allowed difference between the runtime's clock and this machine's, and age of a sample. */
const TOLERANCE = 15n * SECOND;

const LIMIT = 64n * 1024n * 1024n;

/** Uses the CPU for a while, and some memory. */
const BUSY = 'i=0; while [ $i -lt 20000 ]; do i=$((i+1)); done; while true; do sleep 0.1; done';

const within = (value: bigint | undefined, least: bigint, most: bigint, what: string): void =>
  must(
    value !== undefined && value >= least && value <= most,
    `${what} from ${least} to ${most}`,
    String(value),
  );

/** Expects a Unix time in nanoseconds that is about now. */
function aboutNow(t: CheckContext, value: bigint | undefined, what: string): void {
  const now = t.clock.now();
  within(value, now - TOLERANCE, now + TOLERANCE, `${what}, in ns,`);
}

async function busy(t: CheckContext) {
  const from = t.clock.now();
  const sandbox = await podWithCgroup(t);
  const linux = { resources: { memoryLimitInBytes: LIMIT } };
  const containerId = await t.script(sandbox, BUSY, { linux });
  return { from, sandbox, containerId };
}

/** Stats that have counted some CPU time. */
const counted = (t: CheckContext, containerId: string): Promise<ContainerStats> =>
  t.eventually(
    async () => {
      const { stats } = await t.cri.containerStats({ containerId });
      must(stats !== undefined, 'stats', 'none');
      return stats;
    },
    ({ cpu }) => (cpu?.usageCoreNanoSeconds?.value ?? 0n) > 1_000_000n,
    'more than 1 ms of CPU time, in ns,',
  );

/** Metrics with a unit in their name, and a lower bound of plausible values. */
const SECONDS_SINCE_1970 = ['container_start_time_seconds', 'container_last_seen'];

export const unitChecks: Checks = {
  async 'INV-58.stats'(t) {
    const { from, containerId } = await busy(t);
    const one = await counted(t, containerId);
    const { stats } = await t.cri.listContainerStats({ filter: { id: containerId } });
    const cores = BigInt(availableParallelism());
    const passed = t.clock.now() - from;
    for (const { cpu, memory, writableLayer } of [one, ...stats]) {
      aboutNow(t, cpu?.timestamp, 'cpu.timestamp');
      aboutNow(t, memory?.timestamp, 'memory.timestamp');
      if (writableLayer) aboutNow(t, writableLayer.timestamp, 'writable_layer.timestamp');
      within(cpu?.usageCoreNanoSeconds?.value, 0n, passed * cores, 'usage_core_nano_seconds');
      // A rate over a short time may slightly exceed the capacity.
      if (cpu?.usageNanoCores) within(cpu.usageNanoCores.value, 0n, 2n * cores * SECOND, 'usage_nano_cores');
      within(memory?.workingSetBytes?.value, 16_384n, LIMIT, 'working_set_bytes');
    }
  },
  async 'INV-58.pod-stats'(t) {
    const { sandbox, containerId } = await busy(t);
    await counted(t, containerId);
    const { stats } = await t.cri.podSandboxStats({ podSandboxId: sandbox.id });
    const { cpu, memory, network, process, io } = stats?.linux ?? {};
    must(cpu !== undefined && memory !== undefined, 'cpu and memory in PodSandboxStats', stats);
    for (const [name, part] of Object.entries({ cpu, memory, network, process, io }))
      if (part !== undefined) aboutNow(t, part.timestamp, `${name}.timestamp`);
  },
  async 'INV-58.metrics'(t) {
    const { from, sandbox, containerId } = await busy(t);
    await counted(t, containerId);
    const ofContainer = async (): Promise<readonly Metric[]> => {
      const { podMetrics } = await t.cri.listPodSandboxMetrics({});
      const pod = podMetrics.find(({ podSandboxId }) => podSandboxId === sandbox.id);
      return pod?.containerMetrics.find((one) => one.containerId === containerId)?.metrics ?? [];
    };
    const metrics = await t.eventually(ofContainer, ({ length }) => length > 0, 'metrics of the container');
    const [earliest, latest] = [(from - TOLERANCE) / SECOND, (t.clock.now() + TOLERANCE) / SECOND];
    for (const { name, value, timestamp } of metrics) {
      // A timestamp of 0 means now.
      if (timestamp !== 0n) aboutNow(t, timestamp, `timestamp of ${name}`);
      if (SECONDS_SINCE_1970.includes(name)) within(value?.value, earliest, latest, `${name}, in s,`);
      if (name === 'container_spec_memory_limit_bytes') within(value?.value, LIMIT, LIMIT, name);
      if (name === 'container_memory_working_set_bytes') within(value?.value, 16_384n, LIMIT, name);
    }
  },
  async 'INV-58.status'(t) {
    const sandbox = await t.sandbox();
    const containerId = await t.start(sandbox);
    const look = () => t.cri.podSandboxStatus({ podSandboxId: sandbox.id });
    const replies = [await look()];
    await t.cri.stopContainer({ containerId, timeout: 0n });
    replies.push(await look());
    for (const { timestamp, containersStatuses } of replies) {
      if (timestamp === 0n && containersStatuses.length === 0) continue;
      aboutNow(t, timestamp, 'timestamp');
      must(
        containersStatuses.length === 1,
        'the status of the container with a timestamp',
        containersStatuses,
      );
    }
    if (replies.every(({ timestamp }) => timestamp === 0n))
      t.skip('PodSandboxStatus has neither containers nor a timestamp: the kubelet asks for each container');
  },
};

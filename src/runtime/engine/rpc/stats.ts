import { CriError } from '../../../cri/errors.js';
import {
  Container,
  type ContainerStats,
  type ContainerStatsFilter,
  PodSandbox,
  type PodSandboxStats,
  type PodSandboxStatsFilter,
} from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import type { ContainerUsage, SandboxUsage } from '../backend/usage.js';
import type { Engine } from '../engine.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { sandboxConfig } from '../state/status.js';
import { selectContainers, selectSandboxes } from './filters.js';

type StatsService = Pick<
  CriService,
  'containerStats' | 'listContainerStats' | 'podSandboxStats' | 'listPodSandboxStats'
>;

export function statsService(engine: Engine): StatsService {
  const { store } = engine;
  return {
    containerStats: async ({ containerId }) => {
      const record = store.containers.get(containerId);
      const usage = await engine.backend.containerUsage([record.id]);
      return { stats: containerStats(engine, record, usage.get(record.id)) };
    },
    listContainerStats: async ({ filter }) => ({ stats: await listContainerStats(engine, filter) }),
    podSandboxStats: async ({ podSandboxId }) => {
      const record = store.sandboxes.get(podSandboxId);
      if (engine.rules.statsNeedCgroup)
        engine.transitions.allowSandbox('PodSandboxStats', record.id, record.state);
      checkCgroups(engine, [record]);
      const [stats] = await sandboxStats(engine, [record]);
      return { stats };
    },
    listPodSandboxStats: async ({ filter }) => ({ stats: await listSandboxStats(engine, filter) }),
  };
}

/** By default, lists only running containers (cri-api ListContainerStats, INV-48). */
export async function listContainerStats(
  engine: Engine,
  filter: ContainerStatsFilter | undefined,
): Promise<ContainerStats[]> {
  const { statsOf } = engine.rules;
  const records = [...selectContainers(engine.store, filter)].filter(
    (record) => statsOf === 'all' || isCounted(engine, record),
  );
  const usage = await engine.backend.containerUsage(records.map(({ id }) => id));
  return records.flatMap((record) => {
    const used = usage.get(record.id);
    return used === undefined && statsOf === 'running' ? [] : [containerStats(engine, record, used)];
  });
}

/** By default, lists only ready sandboxes (containerd). */
export async function listSandboxStats(
  engine: Engine,
  filter: PodSandboxStatsFilter | undefined,
): Promise<PodSandboxStats[]> {
  const { keepsStopped } = engine.rules;
  const records = [...selectSandboxes(engine.store, filter)].filter(
    ({ state }) => keepsStopped || state === 'READY',
  );
  checkCgroups(engine, records);
  return sandboxStats(engine, records);
}

function checkCgroups({ rules }: Engine, records: readonly SandboxRecord[]): void {
  if (!rules.statsNeedCgroup) return;
  const lacking = records.filter((record) => !sandboxConfig(record).linux?.cgroupParent);
  if (lacking.length === 0) return;
  const ids = lacking.map(({ id }) => id);
  throw new CriError('internal', `no cgroup parent: sandbox ${ids.join(', ')}`, {
    problem: { name: 'no-cgroup', ids },
  });
}

async function sandboxStats(engine: Engine, records: readonly SandboxRecord[]): Promise<PodSandboxStats[]> {
  const running = records.flatMap(({ containers }) => containers.filter(isRunning));
  const sandboxUsage = await engine.backend.sandboxUsage(records.map(({ id }) => id));
  const containerUsage = await engine.backend.containerUsage(running.map(({ id }) => id));
  return records.map((record) => podStats(engine, record, sandboxUsage.get(record.id), containerUsage));
}

/** Omits usage: an object that doesn't run has only its attributes. */
function containerStats(
  { rules, clock }: Engine,
  record: ContainerRecord,
  usage: ContainerUsage | undefined,
): ContainerStats {
  return {
    attributes: {
      id: record.id,
      metadata: { name: record.name, attempt: record.attempt },
      labels: record.labels,
      annotations: Container.decode(record.encodings.item).annotations,
    },
    cpu: usage?.cpu,
    memory: usage?.memory,
    writableLayer: rules.writableLayer(usage?.writableLayer, record.createdAt, clock.now()),
    swap: usage?.swap,
    io: usage?.io,
  };
}

function podStats(
  engine: Engine,
  record: SandboxRecord,
  usage: SandboxUsage | undefined,
  containers: ReadonlyMap<string, ContainerUsage>,
): PodSandboxStats {
  return {
    attributes: {
      id: record.id,
      metadata: record.metadata,
      labels: record.labels,
      annotations: PodSandbox.decode(record.encodings.item).annotations,
    },
    linux: {
      cpu: usage?.cpu,
      memory: usage?.memory,
      network: engine.rules.hostNetworkStats || !record.hostNetwork ? usage?.network : undefined,
      process: usage?.process,
      containers: record.containers
        .filter((container) => engine.rules.statsOf === 'all' || isCounted(engine, container))
        .map((container) => containerStats(engine, container, containers.get(container.id))),
      io: usage?.io,
    },
    windows: undefined,
  };
}

const isCounted = ({ rules }: Engine, { phase: { state } }: ContainerRecord): boolean =>
  state === 'RUNNING' || (state === 'CREATED' && rules.statsOf === 'living');

function isRunning({ phase }: ContainerRecord): boolean {
  return phase.state === 'RUNNING';
}

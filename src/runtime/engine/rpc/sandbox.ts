import { PodSandboxStatusResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import type { Engine } from '../engine.js';
import { removeSandbox, runSandbox, stopSandbox } from '../lifecycle/sandbox.js';
import { Encodings } from '../state/encodings.js';
import { append, encode } from '../state/protobuf-splice.js';
import type { SandboxRecord } from '../state/records.js';
import { containerStatus, sandboxStatus } from '../state/status.js';
import { selectSandboxes } from './filters.js';
import { sandboxInfo } from './info.js';

type SandboxService = Pick<
  CriService,
  | 'runPodSandbox'
  | 'stopPodSandbox'
  | 'removePodSandbox'
  | 'podSandboxStatus'
  | 'listPodSandbox'
  | 'updatePodSandboxResources'
>;

const STATUS = 1;
const CONTAINERS_STATUSES = 3;

export function sandboxService(engine: Engine): SandboxService {
  const { store, queue, transitions } = engine;
  return {
    runPodSandbox: async ({ config, runtimeHandler }, call) => {
      const { id } = await runSandbox(engine, config, runtimeHandler, call);
      return { podSandboxId: id };
    },

    stopPodSandbox: async ({ podSandboxId }, call) => {
      const record = store.sandboxes.find(podSandboxId);
      if (record === undefined) return {};
      await queue.run(record.id, call.signal, async () => {
        if (store.sandboxes.has(record.id)) await stopSandbox(engine, record, call.deadline);
      });
      await engine.bus.room(call.signal);
      return {};
    },

    removePodSandbox: async ({ podSandboxId }, call) => {
      const record = store.sandboxes.find(podSandboxId);
      if (record === undefined) return {};
      await queue.run(record.id, call.signal, async () => {
        if (!store.sandboxes.has(record.id)) {
          if (engine.rules.repeatsDeleted) engine.announce('DELETED', record, false);
          return;
        }
        transitions.allowSandbox('RemovePodSandbox', record.id, record.state);
        await removeSandbox(engine, record, call.deadline);
      });
      await engine.bus.room(call.signal);
      return {};
    },

    podSandboxStatus: ({ podSandboxId, verbose }) => {
      const record = store.sandboxes.get(podSandboxId);
      return verbose ? verboseStatus(engine, record) : statusReply(engine, record, {});
    },

    listPodSandbox: ({ filter }) => {
      const selected = selectSandboxes(store, filter);
      if (!Array.isArray(selected)) return store.sandboxes.list();
      return Encodings.list(selected);
    },

    updatePodSandboxResources: async ({ podSandboxId, overhead, resources }, call) => {
      const record = store.sandboxes.get(podSandboxId);
      const limits = { overhead, resources };
      const { backend } = engine;
      if (backend.updateSandboxResources !== undefined)
        await queue.run(record.id, call.signal, async () =>
          backend.updateSandboxResources?.(record.id, limits, { signal: call.signal }),
        );
      store.setSandboxResources(record, limits);
      return {};
    },
  };
}

async function verboseStatus(engine: Engine, record: SandboxRecord): Promise<Buffer> {
  const info = await sandboxInfo(engine, record);
  return statusReply(engine, record, info);
}

/**
 * Includes the containers and the snapshot's time, which kubelet's evented PLEG needs. Newest first: the kubelet takes
 * the first container of a name as the current one, without sorting (kuberuntime_manager.go GetPodStatus).
 */
function statusReply(engine: Engine, record: SandboxRecord, info: Record<string, string>): Buffer {
  const { podContainers } = engine.rules;
  const tail = encode(PodSandboxStatusResponse, {
    status: undefined,
    info,
    containersStatuses: [],
    timestamp: podContainers ? engine.timestamps.next() : 0n,
  });
  return append(tail, [
    { field: STATUS, frames: [sandboxStatus(record)] },
    {
      field: CONTAINERS_STATUSES,
      frames: podContainers ? record.containers.toReversed().map(containerStatus) : [],
    },
  ]);
}

import { ContainerStatusResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../cri/service.js';
import { type Engine, uncancelled } from '../engine.js';
import { createAlone, inTurn } from '../lifecycle/alone.js';
import {
  createContainer,
  type MakeContainer,
  removeStopped,
  startContainer,
  updateResources,
} from '../lifecycle/container.js';
import { removalGrace, stopIdle, stopProcess } from '../lifecycle/stop.js';
import { Encodings } from '../state/encodings.js';
import { append, encode } from '../state/protobuf-splice.js';
import type { ContainerRecord } from '../state/records.js';
import { containerStatus } from '../state/status.js';
import { secondsToMillis } from './durations.js';
import { selectContainers } from './filters.js';
import { containerInfo } from './info.js';

type ContainerService = Pick<
  CriService,
  | 'createContainer'
  | 'startContainer'
  | 'stopContainer'
  | 'removeContainer'
  | 'containerStatus'
  | 'listContainers'
  | 'updateContainerResources'
  | 'reopenContainerLog'
>;

export function containerService(engine: Engine): ContainerService {
  const { backend, store, queue, transitions } = engine;
  const alone = engine.rules.refusesBusy ? createAlone() : inTurn;
  return {
    createContainer: async ({ podSandboxId, config, sandboxConfig }, call) => {
      const sandbox = store.sandboxes.get(podSandboxId);
      const make: MakeContainer = async (spec, signal) => {
        await call.whileMaking?.();
        return backend.createContainer(spec, { signal });
      };
      const { signal } = call;
      const record = await createContainer(engine, { sandbox, config, sandboxConfig, make, signal });
      return { containerId: record.id };
    },

    startContainer: async ({ containerId }, call) => {
      const record = store.containers.get(containerId);
      await alone(record.id, 'starting', () =>
        queue.run(record.sandbox.id, call.signal, () => startContainer(engine, record, call.signal)),
      );
      await engine.bus.room(call.signal);
      return {};
    },

    stopContainer: async ({ containerId, timeout }, call) => {
      const grace = secondsToMillis(timeout, engine.rules.negativeTimeouts);
      const record = store.containers.find(containerId);
      if (record === undefined) return {};
      let stopping: Promise<void> | undefined;
      await queue.run(record.sandbox.id, call.signal, async () => {
        if (!store.containers.has(record.id)) return;
        const { state } = record.phase;
        if (state === 'RUNNING' || state === 'UNKNOWN')
          stopping = stopProcess(engine, record, grace, call.signal);
        else stopIdle(engine, record);
      });
      // Runs outside the queue: a grace period must not block the other containers of the pod.
      await stopping;
      await engine.bus.room(call.signal);
      return {};
    },

    removeContainer: async ({ containerId }, call) => {
      const record = store.containers.find(containerId);
      if (record === undefined) return {};
      const remove = async () => {
        if (!store.containers.has(record.id)) return;
        transitions.allowContainer('RemoveContainer', record.id, record.phase.state);
        const { state } = record.phase;
        const grace = removalGrace(engine, call.deadline);
        if (state === 'RUNNING' || state === 'UNKNOWN')
          await stopProcess(engine, record, grace, uncancelled().signal);
        else if (state === 'CREATED') stopIdle(engine, record);
        await removeStopped(engine, record);
      };
      await alone(record.id, 'removing', () => queue.run(record.sandbox.id, call.signal, remove));
      await engine.bus.room(call.signal);
      return {};
    },

    containerStatus: ({ containerId, verbose }) => {
      const record = store.containers.get(containerId);
      return verbose ? verboseStatus(engine, record) : containerStatus(record);
    },

    listContainers: ({ filter }) => {
      const selected = selectContainers(store, filter);
      if (!Array.isArray(selected)) return store.containers.list();
      return Encodings.list(selected);
    },

    updateContainerResources: async ({ containerId, linux }, call) => {
      const record = store.containers.get(containerId);
      await queue.run(record.sandbox.id, call.signal, () =>
        updateResources(engine, record, linux, call.signal),
      );
      return {};
    },

    reopenContainerLog: async ({ containerId }, call) => {
      const record = store.containers.get(containerId);
      transitions.allowContainer('ReopenContainerLog', record.id, record.phase.state);
      await backend.reopenLog(record.id, call);
      return {};
    },
  };
}

async function verboseStatus(engine: Engine, record: ContainerRecord): Promise<Buffer> {
  const info = await containerInfo(engine, record);
  const tail = encode(ContainerStatusResponse, { status: undefined, info });
  return append(tail, [{ field: 1, frames: [containerStatus(record)] }]);
}

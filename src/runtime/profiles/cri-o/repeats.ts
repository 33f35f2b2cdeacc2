import type { Clock } from '../../../base/clock/clock.js';
import { CriError, StatusError } from '../../../cri/errors.js';
import { ContainerState, ListContainersResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { holderOf } from '../name-holder.js';
import { containerStatusOf, sandboxStatusOf } from '../statuses.js';
import { createUnderWay, hasFailed } from '../under-way.js';
import { runcOutput } from './errors.js';

type RunRequest = Parameters<CriService['runPodSandbox']>[0];
type Repeated = Pick<
  CriService,
  'runPodSandbox' | 'removePodSandbox' | 'createContainer' | 'startContainer' | 'removeContainer'
>;

/** CRI-O's treatment of repeated and concurrent calls. */
export function oneAtATime(
  engine: CriService,
  clock: Clock,
  withDefaults: (request: RunRequest) => RunRequest,
): Repeated {
  const starting = createUnderWay();
  const removing = createUnderWay();
  return {
    // A repeated request returns the first one's sandbox.
    runPodSandbox: async (request, call) => {
      try {
        return await engine.runPodSandbox(withDefaults(request), call);
      } catch (error) {
        const holder = holderOf(error);
        if (holder === undefined) throw error;
        if (!(await hasSandbox(engine, holder, call))) throw await stillReserved(clock, call, 'sandbox');
        return { podSandboxId: holder };
      }
    },
    createContainer: async (request, call) => {
      checkPresent(request);
      try {
        return await engine.createContainer(request, call);
      } catch (error) {
        const holder = holderOf(error);
        if (holder === undefined) throw error;
        if (!(await hasContainer(engine, holder, call))) throw await stillReserved(clock, call, 'container');
        return { containerId: holder };
      }
    },
    // Concurrent calls may all call runc; the call that fails removes the container (server/container_start.go).
    startContainer: async (request, call) => {
      const { containerId } = request;
      const other = starting.of(containerId);
      if (other === undefined) return starting.run(containerId, () => engine.startContainer(request, call));
      if (await hasFailed(clock, other)) return engine.startContainer(request, call);
      const why = (await isOver(engine, containerId, call))
        ? 'a container that has stopped'
        : 'an already running container';
      await engine.removeContainer({ containerId }, call);
      const output = runcOutput(`cannot start ${why}`, '', clock.now());
      throw unknown(
        `failed to start container ${containerId}: \`/usr/bin/runc --root /run/runc start ${containerId}\` failed: ${output} : exit status 1`,
      );
    },
    // Concurrent calls all remove the container; the second finds nothing in the index (server/container_remove.go).
    removeContainer: async (request, call) => {
      const { containerId } = request;
      const other = removing.of(containerId);
      if (other === undefined) return removing.run(containerId, () => engine.removeContainer(request, call));
      const where = await describe(engine, containerId, call);
      if ((await hasFailed(clock, other)) || where === undefined)
        return engine.removeContainer(request, call);
      throw unknown(`failed to delete container ${where} from index: no such id: '${containerId}'`);
    },
    removePodSandbox: async (request, call) => {
      const { podSandboxId } = request;
      const other = removing.of(podSandboxId);
      const remove = () => orGone(() => engine.removePodSandbox(request, call));
      if (other === undefined) return removing.run(podSandboxId, remove);
      const name = await sandboxParts(engine, podSandboxId, call);
      if (await hasFailed(clock, other)) return remove();
      const container = ['k8s', 'POD', ...name].join('_');
      throw unknown(
        `failed to delete container ${container} in pod sandbox ${podSandboxId} from index: no such id: '${podSandboxId}'`,
      );
    },
  };
}

/** The checks that come before those of the sandbox. */
function checkPresent({ config, sandboxConfig }: Parameters<CriService['createContainer']>[0]): void {
  if (config === undefined) throw unknown('config is nil');
  if (config.image === undefined) throw unknown('config image is nil');
  if (sandboxConfig === undefined) throw unknown('sandbox config is nil');
  if (sandboxConfig.metadata === undefined) throw unknown('sandbox config metadata is nil');
}

const unknown = (text: string): StatusError => new StatusError(Code.UNKNOWN, text);

/** Limits the wait in addition to the client's deadline, in ms (server/server.go, getResourceOrWait). */
const PATIENCE = 240_000;

/** Waits as long as the client does, even if the object exists earlier. */
async function stillReserved(
  clock: Clock,
  call: Call,
  object: 'sandbox' | 'container',
): Promise<StatusError> {
  const left = call.deadline === undefined ? 0 : Number(call.deadline - clock.now()) / 1e6;
  const reason = await clock.sleep(PATIENCE + Math.max(0, left), call.signal).then(
    () => `waited too long for request to timeout or ${object} to be created`,
    () => 'context deadline exceeded',
  );
  const name = `error reserving ${object === 'sandbox' ? 'pod' : 'ctr'} name: name is reserved`;
  return unknown(
    `Kubelet may be retrying requests that are timing out in CRI-O due to system load. Currently at stage ${object} creating: ${reason}: ${name}`,
  );
}

/** `k8s_app_web_default_uid_0 in pod sandbox ID`; undefined for an unknown container. */
async function describe(engine: CriService, id: string, call: Call): Promise<string | undefined> {
  const filter = { id, podSandboxId: '', labelSelector: {}, state: undefined };
  const { containers } = decoded(ListContainersResponse, await engine.listContainers({ filter }, call));
  const [container] = containers;
  if (container === undefined) return undefined;
  const { podSandboxId, metadata } = container;
  const [name, namespace, uid] = await sandboxParts(engine, podSandboxId, call);
  const parts = ['k8s', metadata?.name, name, namespace, uid, metadata?.attempt];
  return `${parts.join('_')} in pod sandbox ${podSandboxId}`;
}

async function sandboxParts(
  engine: CriService,
  podSandboxId: string,
  call: Call,
): Promise<readonly unknown[]> {
  const { metadata } = (await sandboxStatusOf(engine, podSandboxId, call)) ?? {};
  const { name, namespace, uid, attempt } = metadata ?? {};
  return [name, namespace, uid, attempt];
}

/** CRI-O treats an unknown id, and an ambiguous prefix, like the id of a removed sandbox. */
export async function orGone<T>(work: () => T | Promise<T>): Promise<T | Record<string, never>> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof CriError && error.problem?.name === 'ambiguous-id') return {};
    throw error;
  }
}

async function isOver(engine: CriService, containerId: string, call: Call): Promise<boolean> {
  const status = await containerStatusOf(engine, containerId, call);
  return status?.state === ContainerState.CONTAINER_EXITED;
}

const hasSandbox = (engine: CriService, podSandboxId: string, call: Call): Promise<boolean> =>
  succeeds(sandboxStatusOf(engine, podSandboxId, call));

const hasContainer = (engine: CriService, containerId: string, call: Call): Promise<boolean> =>
  succeeds(containerStatusOf(engine, containerId, call));

const succeeds = (work: Promise<unknown>): Promise<boolean> =>
  work.then(
    () => true,
    () => false,
  );

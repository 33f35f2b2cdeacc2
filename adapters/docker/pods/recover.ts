import type { ContainerInspectInfo } from 'dockerode';
import type { ContainerRuntime, Inventory, RecoveredContainer } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import type { Listed } from '../daemon/monitor.js';
import { isConnectionError, unlessMissing } from '../errors.js';
import { inTurns } from '../in-turns.js';
import { readContainerSpec, readSandboxSpec } from '../labels.js';
import { resourcesInForce } from '../options/resources.js';
import { parseTime } from '../times.js';
import { parseStatusUser } from './accounts.js';
import { exitOf } from './docker-container.js';
import { addressesOf } from './docker-sandbox.js';
import { removeFromDocker } from './removal.js';

/** containerd's exit code and reason for a container that could not be started. */
const START_ERROR = { exitCode: 128, reason: 'StartError' } as const;

/** Returns the existing pods at startup; removes unstarted sandboxes, probes, and containers without sandbox. */
export async function recoverInventory(context: Context, listing: readonly Listed[]): Promise<Inventory> {
  const isKnown = (one: Listed) => one.kind === 'sandbox' && one.state !== 'created' && isThere(one);
  const sandboxes = listing.filter(isKnown);
  const ids = new Set(sandboxes.map(({ id }) => id));
  const containers = listing.filter(
    (one) => one.kind === 'container' && isThere(one) && ids.has(one.sandboxId),
  );
  const kept = new Set([...sandboxes, ...containers]);
  await inTurns(
    listing.filter((one) => !kept.has(one)),
    (one) => removeListed(context, one.dockerId),
  );
  const pods = await inTurns(sandboxes, (one) => recoverSandbox(context, one));
  const ready = new Set(pods.flatMap((pod) => (pod?.ready ? [pod.spec.id] : [])));
  const members = await inTurns(containers, (one) =>
    recoverContainer(context, one, ready.has(one.sandboxId)),
  );
  const isFound = <T>(one: T | undefined): one is T => one !== undefined;
  return { sandboxes: pods.filter(isFound), containers: members.filter(isFound) };
}

/** Docker did not finish its removal. */
const isThere = ({ state }: Listed): boolean => state !== 'removing' && state !== 'dead';

/** Removes an orphan; a failure is only logged, and the next listing tries again. */
export async function removeListed({ docker, warn }: Context, dockerId: string): Promise<void> {
  await removeFromDocker(docker.getContainer(dockerId)).catch((error: unknown) => {
    // The condition RuntimeReady already shows that Docker is unreachable.
    if (!isConnectionError(error))
      warn(`container ${dockerId}, which Mockri does not know, can't be removed`, error);
  });
}

async function recoverSandbox({ docker }: Context, { dockerId, labels }: Listed) {
  const info = await unlessMissing(docker.getContainer(dockerId).inspect());
  if (info === undefined) return undefined;
  const ready = info.State.Running;
  return { spec: readSandboxSpec(labels), runtime: { ips: ready ? addressesOf(info) : [] }, ready };
}

/** No container runs in a sandbox that is not ready (INV-5): it died while the server was down. */
async function recoverContainer(
  { docker }: Context,
  { dockerId, labels, state }: Listed,
  ready: boolean,
): Promise<RecoveredContainer | undefined> {
  const container = docker.getContainer(dockerId);
  if (state === 'running' && !ready) {
    await container.kill({ signal: 'SIGKILL' }).catch(() => {});
    await container.wait();
  }
  const info = await unlessMissing(container.inspect());
  if (info === undefined) return undefined;
  const { spec, facts } = readContainerSpec(labels);
  const linux = resourcesInForce(spec.config.linux?.resources, info.HostConfig);
  const runtime: ContainerRuntime = {
    user: parseStatusUser(facts.statusUser),
    stopSignal: facts.stopSignal,
    resources: linux && { linux, windows: undefined },
  };
  return { spec, runtime, ...progressOf(spec.id, info) };
}

function progressOf(
  containerId: string,
  { State: state, Created: created }: ContainerInspectInfo,
): Pick<RecoveredContainer, 'state' | 'startedAt' | 'exit'> {
  const startedAt = parseTime(state.StartedAt);
  if (state.Running) return { state: 'running', startedAt };
  if (startedAt > 0n) {
    const exit = { containerId, ...exitOf(state) };
    return { state: 'exited', startedAt, exit };
  }
  if (state.Error === '') return { state: 'created', startedAt };
  // Docker does not store the time of a failed start.
  const exit = { containerId, ...START_ERROR, message: state.Error, finishedAt: parseTime(created) };
  return { state: 'exited', startedAt, exit };
}

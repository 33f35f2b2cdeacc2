import { existsSync } from 'node:fs';
import type { Clock } from '../../base/clock/clock.js';
import type { CallOptions, CriClient } from '../../cri/client/client.js';
import {
  type ContainerEventResponse,
  ContainerEventType,
  type StatusResponse,
  type VersionResponse,
} from '../../cri/gen/runtime/v1/api.js';
import { Code, codeName } from '../../cri/status-code.js';
import { RUN_LABEL, removeSandbox } from './cleanup.js';
import { EventRecorder } from './event-recorder.js';
import { isRpcFailure } from './expect.js';
import type { EventMode, Facts, Need } from './facts.js';
import { Unusable } from './unusable.js';

/** Time limit of a stream that ends without a client's action, in ms. */
const MOMENT = 300;

const NOBODY = 'f'.repeat(64);

export interface ProbeOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  readonly greeting: Greeting;
  readonly image: string;
  /** Per probe, in ms. */
  readonly timeout: number;
  readonly canRestart: boolean;
  readonly hasControl: boolean;
  readonly signal: AbortSignal;
  readonly run: string;
}

export interface Greeting {
  readonly version: VersionResponse;
  readonly status: StatusResponse;
}

/** The first calls of every client. Throws Unusable if they fail. */
export async function greet(cri: CriClient, limit: CallOptions): Promise<Greeting> {
  return {
    version: await usable('Version', cri.version({ version: '' }, limit)),
    status: await usable('Status', cri.status({ verbose: false }, limit)),
  };
}

/** Probes the features of a runtime before the checks. Throws Unusable if no container can be created. */
export async function probe(options: ProbeOptions): Promise<Facts> {
  const { cri, timeout, signal, image } = options;
  const { version, status } = options.greeting;
  const limit = { timeout, signal };
  const events = await probeEvents(options);

  const missing = new Map<Need, string>();
  const lacks = (need: Need, reason: string | undefined) => {
    if (reason !== undefined) missing.set(need, reason);
  };
  const network = status.status?.conditions.find((condition) => condition.type === 'NetworkReady');
  lacks(
    'events',
    events === 'open'
      ? undefined
      : `GetContainerEvents ${events === 'unimplemented' ? 'is UNIMPLEMENTED' : events}`,
  );
  lacks(
    'network ready',
    network?.status ? undefined : `NetworkReady is not true: ${network?.message ?? 'not reported'}`,
  );
  lacksFeatures(status, lacks);
  lacks('restart command', options.canRestart ? undefined : 'no --restart-command was given');
  lacks('control url', options.hasControl ? undefined : 'no --control URL was given');
  lacks(
    'streaming lists',
    await unimplemented('StreamContainers', drain(cri.streamContainers({ filter: undefined }, limit))),
  );
  lacks('metrics', await unimplemented('ListMetricDescriptors', cri.listMetricDescriptors({}, limit)));
  lacks(
    'pod stats',
    await unimplemented('PodSandboxStats', cri.podSandboxStats({ podSandboxId: NOBODY }, limit)),
  );
  const update = cri.updateContainerResources(
    { containerId: NOBODY, linux: undefined, windows: undefined, annotations: {} },
    limit,
  );
  lacks('update resources', await unimplemented('UpdateContainerResources', update));
  const podUpdate = cri.updatePodSandboxResources({ podSandboxId: NOBODY }, limit);
  lacks('update pod resources', await unimplemented('UpdatePodSandboxResources', podUpdate));
  const checkpoint = cri.checkpointContainer(
    { containerId: NOBODY, location: '/nowhere', timeout: 0n },
    limit,
  );
  lacks(
    'checkpoint container',
    await unimplemented('CheckpointContainer', checkpoint, /disabled|not (available|supported)|criu/i),
  );
  const podRequest = { podSandboxId: NOBODY, outputPath: '/nowhere', containerIds: [NOBODY], options: {} };
  lacks('checkpoint pod', await unimplemented('CheckpointPod', cri.checkpointPod(podRequest, limit)));
  const subscribers = events === 'open' ? [0, 1].map(() => EventRecorder.open(cri, options.clock)) : [];
  let sharesEvents: boolean;
  try {
    const { podSandboxId, refusal } = await refusesForcedRemoval(options);
    lacks('forced removal', refusal);
    sharesEvents = subscribers.length > 0 && (await haveDeleted(subscribers, podSandboxId));
  } finally {
    for (const subscriber of subscribers) subscriber.close();
  }

  return {
    runtimeName: version.runtimeName,
    runtimeVersion: version.runtimeVersion,
    handlers: status.runtimeHandlers,
    events,
    sharesEvents,
    image,
    missing,
  };
}

/** Features that `Status` reports for the default handler and for the runtime. */
function lacksFeatures(
  { features, runtimeHandlers }: StatusResponse,
  lacks: (need: Need, reason: string | undefined) => void,
): void {
  const handler = runtimeHandlers.find(({ name }) => name === '')?.features;
  const without = (has: boolean | undefined, name: string) =>
    has ? undefined : `Status does not have ${name}`;
  lacks(
    'supplemental groups policy',
    without(features?.supplementalGroupsPolicy, 'supplemental_groups_policy'),
  );
  lacks('user namespaces', without(handler?.userNamespaces, 'user_namespaces') ?? lacksUserNamespaces());
  lacks('recursive read-only', without(handler?.recursiveReadOnlyMounts, 'recursive_read_only_mounts'));
}

/** Why this machine's kernel has no user namespaces; undefined if it has them. */
const lacksUserNamespaces = (): string | undefined =>
  existsSync('/proc/self/ns/user') ? undefined : 'the kernel has no user namespaces';

async function usable<T>(rpc: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const reason = isRpcFailure(error)
      ? `${codeName(error.code)}: ${error.details.replace(/ Resolution note: $/, '')}`
      : String(error);
    throw new Unusable(`${rpc} failed, so this endpoint cannot be tested: ${reason}`);
  }
}

/** Why an RPC counts as missing: UNIMPLEMENTED, or an error with this meaning. */
async function unimplemented(
  rpc: string,
  call: Promise<unknown>,
  alsoMissing?: RegExp,
): Promise<string | undefined> {
  try {
    await call;
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    if (error.code === Code.UNIMPLEMENTED) return `${rpc} is UNIMPLEMENTED`;
    if (alsoMissing?.test(error.details)) return `${rpc} is switched off: ${error.details}`;
  }
  return undefined;
}

async function drain(stream: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of stream);
}

/** A stream counts as open if it has neither ended nor failed after a short time in which another call succeeded. */
async function probeEvents({ cri, clock, timeout, signal }: ProbeOptions): Promise<EventMode> {
  const abort = new AbortController();
  const stream = cri.getContainerEvents({}, { signal: abort.signal })[Symbol.asyncIterator]();
  const answer = stream.next().then(
    (result): EventMode => (result.done ? 'ends at once' : 'open'),
    (error: unknown): EventMode =>
      isRpcFailure(error) && error.code === Code.UNIMPLEMENTED ? 'unimplemented' : 'ends at once',
  );
  const moment = clock.sleep(MOMENT).then(() => cri.version({ version: '' }, { timeout, signal }));
  const mode = await Promise.race([answer, usable('Version', moment).then((): EventMode => 'open')]);
  abort.abort();
  return mode;
}

/** Whether each subscriber gets the last event of a removed sandbox. */
async function haveDeleted(subscribers: readonly EventRecorder[], podSandboxId: string): Promise<boolean> {
  const isLast = ({ containerId, containerEventType }: ContainerEventResponse) =>
    containerId === podSandboxId && containerEventType === ContainerEventType.CONTAINER_DELETED_EVENT;
  const got = await Promise.allSettled(
    subscribers.map((subscriber) => subscriber.waitFor(isLast, 'DELETED', MOMENT)),
  );
  return got.every(({ status }) => status === 'fulfilled');
}

/**
 * A strict runtime (the first CRI proposal) refuses to remove a container before it is stopped and EXITED. Resolves
 * with the probe's sandbox, which is removed, and the reason why a container could not be removed.
 */
async function refusesForcedRemoval({
  cri,
  image,
  timeout,
  run,
  signal,
}: ProbeOptions): Promise<{ readonly podSandboxId: string; readonly refusal: string | undefined }> {
  const limit = { timeout, signal };
  const uid = `probe-${run}`;
  const labels = { [RUN_LABEL]: run };
  const config = { metadata: { name: uid, uid, namespace: 'conformance', attempt: 0 }, labels, linux: {} };
  const { podSandboxId } = await usable(
    'RunPodSandbox',
    cri.runPodSandbox({ config, runtimeHandler: '' }, limit),
  );
  try {
    const container = {
      metadata: { name: 'probe', attempt: 0 },
      image: { image },
      command: ['true'],
      linux: {},
    };
    const { containerId } = await usable(
      'CreateContainer',
      cri.createContainer({ podSandboxId, config: container, sandboxConfig: config }, limit),
    );
    await cri.removeContainer({ containerId }, limit);
    return { podSandboxId, refusal: undefined };
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    return { podSandboxId, refusal: `a container that is not EXITED cannot be removed: ${error.details}` };
  } finally {
    await removeSandbox(cri, podSandboxId, timeout);
  }
}

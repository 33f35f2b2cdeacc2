import { status as Code } from '@grpc/grpc-js';
import type { Clock } from '../clock/clock.js';
import type { CriClient } from '../cri/client.js';
import type { Need } from './check.js';
import { codeName, isRpcFailure } from './expect.js';
import type { EventMode, Facts } from './facts.js';

/** Images that have a shell, in the order in which they are tried when none is given. */
const IMAGES = [
  'registry.k8s.io/e2e-test-images/busybox:1.29-2',
  'docker.io/library/busybox:latest',
  'localhost:5000/e2e-test-images/busybox:1.29-2',
];

/** An id that no runtime has. */
const NOBODY = 'f'.repeat(64);

export interface ProbeOptions {
  readonly cri: CriClient;
  readonly clock: Clock;
  /** Given by the user; undefined to choose one. */
  readonly image: string | undefined;
  /** For each probe, in ms. */
  readonly timeout: number;
  readonly canRestart: boolean;
  readonly hasControl: boolean;
}

/** The endpoint can't be judged at all; the message says why. */
export class Unusable extends Error {
  override readonly name = 'Unusable';
}

/** Finds out what a runtime is and has, before it is judged. Throws Unusable. */
export async function probe(options: ProbeOptions): Promise<Facts> {
  const { cri, timeout } = options;
  const limit = { timeout };
  const version = await usable('Version', cri.version({ version: '' }, limit));
  const status = await usable('Status', cri.status({ verbose: false }, limit));
  const image = await chooseImage(options);
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
  lacks('forced removal', await refusesForcedRemoval(options, image));

  return {
    runtimeName: version.runtimeName,
    runtimeVersion: version.runtimeVersion,
    handlers: status.runtimeHandlers,
    events,
    image,
    missing,
  };
}

async function usable<T>(rpc: string, call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    const reason = isRpcFailure(error) ? `${codeName(error.code)}: ${error.details}` : String(error);
    throw new Unusable(`${rpc} failed, so this endpoint can't be judged: ${reason}`);
  }
}

/** Why an RPC counts as missing: UNIMPLEMENTED, or an error that says so. */
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

async function chooseImage({ cri, image, timeout }: ProbeOptions): Promise<string> {
  const tried: string[] = [];
  for (const reference of image === undefined ? IMAGES : [image]) {
    const spec = { image: reference } as never;
    try {
      const { image: present } = await cri.imageStatus({ image: spec, verbose: false }, { timeout });
      if (present === undefined)
        await cri.pullImage(
          { image: spec, auth: undefined, sandboxConfig: undefined },
          { timeout: timeout * 10 },
        );
      return reference;
    } catch (error) {
      tried.push(`${reference}: ${isRpcFailure(error) ? error.details : error}`);
    }
  }
  throw new Unusable(`no image with a shell could be had; name one with --image\n${tried.join('\n')}`);
}

/** A stream that neither ends nor fails within a moment counts as open. */
async function probeEvents({ cri, clock }: ProbeOptions): Promise<EventMode> {
  const abort = new AbortController();
  const stream = cri.getContainerEvents({}, { signal: abort.signal })[Symbol.asyncIterator]();
  const answer = stream.next().then(
    (result): EventMode => (result.done ? 'ends at once' : 'open'),
    (error: unknown): EventMode =>
      isRpcFailure(error) && error.code === Code.UNIMPLEMENTED ? 'unimplemented' : 'ends at once',
  );
  const mode = await Promise.race([answer, clock.sleep(300).then((): EventMode => 'open')]);
  abort.abort();
  return mode;
}

/** A strict runtime (the first CRI proposal) wants a container stopped and EXITED before it is removed. */
async function refusesForcedRemoval(
  { cri, timeout }: ProbeOptions,
  image: string,
): Promise<string | undefined> {
  const limit = { timeout };
  const uid = `probe-${Math.trunc(Number(process.pid))}-${image.length}`;
  const config = { metadata: { name: uid, uid, namespace: 'conformance', attempt: 0 }, linux: {} } as never;
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
    } as never;
    const { containerId } = await usable(
      'CreateContainer',
      cri.createContainer({ podSandboxId, config: container, sandboxConfig: config }, limit),
    );
    await cri.removeContainer({ containerId }, limit);
    return undefined;
  } catch (error) {
    if (!isRpcFailure(error)) throw error;
    return `a container that isn't EXITED can't be removed: ${error.details}`;
  } finally {
    await cri.stopPodSandbox({ podSandboxId }, limit).catch(() => {});
    await cri.removePodSandbox({ podSandboxId }, limit).catch(() => {});
  }
}

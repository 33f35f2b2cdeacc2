import type { PodSandboxConfig } from '../../cri/gen/runtime/v1/api.js';
import { formatPod } from '../backoff/keys.js';
import { detailsOf, errorText } from '../client/errors.js';
import { containerConfig, type ImageUser } from '../cri-configs/container-config.js';
import { environment } from '../cri-configs/environment.js';
import { statusOf } from '../decisions/restart.js';
import { type ContainerSpec, defaultPullPolicy, type EphemeralContainer } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import { type EventFacts, StartError } from '../types/ports.js';
import type { RuntimePodStatus } from '../types/runtime-status.js';
import type { RuntimeContext } from './context.js';
import { runHook } from './hooks.js';
import { killContainer } from './kill.js';

export interface Start {
  readonly pod: Pod;
  readonly container: ContainerSpec | EphemeralContainer;
  /** From the start of the sync: shows a container that this sync killed as running. */
  readonly status: RuntimePodStatus;
  readonly sandboxId: string;
  readonly sandboxConfig: PodSandboxConfig;
  readonly podIps: readonly string[];
}

/** startContainer (kuberuntime_container.go): image, create, start, postStart. Throws StartError. */
export async function startContainer(context: RuntimeContext, start: Start): Promise<void> {
  const { client, recorder, images, files } = context;
  const { pod, container } = start;
  const warn = (message: string, facts?: EventFacts) =>
    recorder.event(pod, 'Warning', 'Failed', `Error: ${message}`, container, facts);

  const imageRef = await images.ensure(pod, container, start.sandboxConfig).catch((error: unknown) => {
    warn(error instanceof StartError ? error.reason : detailsOf(error), { image: container.image });
    throw error;
  });

  const imageVolumes = await ensureImageVolumes(context, start);
  const previous = statusOf(start.status, container.name);
  const attemptInLogs = await files.nextAttempt(files.podLogDirectory(pod.metadata), container.name);
  const restartCount = previous === undefined ? attemptInLogs : previous.restartCount + 1;
  const id = await create(context, start, { imageRef, imageVolumes, restartCount }).catch(
    (error: unknown) => {
      warn(detailsOf(error));
      throw error instanceof StartError ? error : new StartError('CreateContainerError', detailsOf(error));
    },
  );
  recorder.event(pod, 'Normal', 'Created', startEvent(context, 'Created', container), container);

  try {
    await client.startContainer(id);
  } catch (error) {
    // recordContainerEvent: equal failures produce equal events.
    warn(detailsOf(error).replaceAll(id, container.name));
    throw new StartError('RunContainerError', detailsOf(error));
  }
  recorder.event(pod, 'Normal', 'Started', startEvent(context, 'Started', container), container);
  await runPostStart(context, start, id);
}

interface Created {
  readonly imageRef: string;
  readonly imageVolumes: ReadonlyMap<string, string>;
  readonly restartCount: number;
}

/** getImageVolumes (kuberuntime_manager.go): images that the container mounts, by volume name. */
async function ensureImageVolumes(
  { images }: RuntimeContext,
  { pod, container, sandboxConfig }: Start,
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  const mounted = new Set(container.volumeMounts.map(({ name }) => name));
  for (const { name, image: { reference: image, pullPolicy } = {} } of pod.spec.volumes) {
    if (image === undefined || !mounted.has(name)) continue;
    const imagePullPolicy = pullPolicy ?? defaultPullPolicy(image);
    found.set(name, await images.ensure(pod, { ...container, image, imagePullPolicy }, sandboxConfig));
  }
  return found;
}

async function create(
  context: RuntimeContext,
  start: Start,
  { imageRef, imageVolumes, restartCount }: Created,
): Promise<string> {
  const { client, files } = context;
  const { pod, container, sandboxId, sandboxConfig, podIps } = start;
  const user = await context.imageUser(container).catch((error: unknown) => {
    throw new StartError('CreateContainerConfigError', detailsOf(error));
  });
  const complaint = rootComplaint(pod, container, user);
  if (complaint !== undefined) throw new StartError('CreateContainerConfigError', complaint);
  const hash = context.hashOf(container);
  const { objects, hostIp, allocatable } = context;
  const env = await environment({ pod, container, podIps, hostIp, objects, allocatable }).catch((error) => {
    throw new StartError('CreateContainerConfigError', detailsOf(error));
  });
  const config = await containerConfig({
    pod,
    container,
    restartCount,
    hash,
    imageRef,
    imageVolumes,
    user,
    env,
    podIps,
    targetId: targetOf(start),
    files,
  });
  context.actuated.set(pod.metadata.uid, container.name, container.resources);
  return client.createContainer(sandboxId, config, sandboxConfig);
}

/** getTargetID: the container whose processes an ephemeral container sees. */
function targetOf({ container, status }: Start): string | undefined {
  if (!('targetContainerName' in container) || !container.targetContainerName) return undefined;
  const name = container.targetContainerName;
  const target = statusOf(status, name);
  if (target === undefined)
    throw new StartError('CreateContainerConfigError', `unable to find target container ${name}`);
  return target.id;
}

/** verifyRunAsNonRoot (kuberuntime/security_context_others.go). */
function rootComplaint(pod: Pod, container: ContainerSpec, user: ImageUser): string | undefined {
  const [own, common] = [container.securityContext, pod.spec.securityContext];
  if (!(own.runAsNonRoot ?? common.runAsNonRoot)) return undefined;
  const where = `(pod: ${JSON.stringify(formatPod(pod))}, container: ${container.name})`;
  const wanted = own.runAsUser ?? common.runAsUser;
  if (wanted !== undefined)
    return wanted === 0 ? `container's runAsUser breaks non-root policy ${where}` : undefined;
  if ('username' in user) {
    return `container has runAsNonRoot and image has non-numeric user (${user.username}), cannot verify user is non-root ${where}`;
  }
  return user.uid === 0n ? `container has runAsNonRoot and image will run as root ${where}` : undefined;
}

function startEvent(
  { version }: RuntimeContext,
  verb: 'Created' | 'Started',
  { name }: ContainerSpec,
): string {
  if (version.startEvents === 'short') return `Container ${verb.toLowerCase()}`;
  return version.startEvents === 'colon' && verb === 'Created'
    ? `Created container: ${name}`
    : `${verb} container ${name}`;
}

async function runPostStart(context: RuntimeContext, start: Start, id: string): Promise<void> {
  const { recorder } = context;
  const { pod, container } = start;
  const handler = container.lifecycle?.postStart;
  if (handler === undefined) return;
  try {
    await runHook(context, pod, container, id, handler);
  } catch (error) {
    recorder.event(pod, 'Warning', 'FailedPostStartHook', 'PostStartHook failed', container);
    const killing = { pod, container, id, message: 'FailedPostStartHook' } as const;
    await killContainer(context, { ...killing, reason: 'post-start' }).catch(() => {});
    throw new StartError('PostStartHookError', errorText(error));
  }
}

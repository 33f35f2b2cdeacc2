import type { CriClient } from '../cri/client/client.js';
import { crashLoopLimits, createCrashLoopBackOff } from './backoff/crash-loop.js';
import { hashContainer } from './backoff/keys.js';
import type { RuntimeClient } from './client/client.js';
import type { ImageUser } from './cri-configs/container-config.js';
import { createImageManager } from './images/image-manager.js';
import { createPullRecords } from './images/pull-records.js';
import { noObjects } from './kube-objects.js';
import type { KubeletOptions } from './kubelet-options.js';
import { createHookRequest } from './probes/hook-request.js';
import type { RuntimeContext } from './runtime/context.js';
import type { Recorder } from './types/ports.js';

interface ContextParts
  extends Pick<RuntimeContext, 'runtimeName' | 'actuated' | 'reinspect' | 'probeResult'> {
  readonly client: RuntimeClient;
  readonly recorder: Recorder;
  readonly signal: AbortSignal;
}

export function createRuntimeContext(
  options: KubeletOptions,
  { recorder, signal, ...parts }: ContextParts,
): RuntimeContext {
  const { cri, clock, network, version, config, files, objects = noObjects } = options;
  const { runtimeRequestTimeout: timeout, parallelPulls } = config;
  return {
    ...parts,
    clock,
    recorder,
    version,
    files,
    objects,
    hostIp: options.hostIp ?? '',
    allocatable: options.allocatable ?? {},
    images: createImageManager({
      cri,
      clock,
      recorder,
      version,
      objects,
      requestTimeout: timeout,
      parallelPulls,
      pullRecords: options.pullRecords ?? createPullRecords(),
      signal,
    }),
    imageUser: ({ image }) => imageUser(cri, image, { signal, timeout }),
    crashBackOff: createCrashLoopBackOff(
      clock,
      crashLoopLimits(version.gates, config.maxContainerRestartPeriod),
    ),
    backOffDecided: options.onBackOff,
    hashOf: (container) => hashContainer(container, version),
    verdict: options.verdict,
    hookRequest: createHookRequest({ clock, network }, recorder, version.name),
  };
}

/** getImageUser (kuberuntime/helpers.go): root if the image sets no user. */
async function imageUser(
  cri: Pick<CriClient, 'imageStatus'>,
  image: string,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<ImageUser> {
  const spec = { image, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
  const { image: found } = await cri.imageStatus({ image: spec, verbose: false }, options);
  if (found?.uid !== undefined) return { uid: found.uid.value };
  return found?.username ? { username: found.username } : { uid: 0n };
}

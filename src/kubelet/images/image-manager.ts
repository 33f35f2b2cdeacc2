import type { Clock } from '../../base/clock/clock.js';
import { restOfInstant } from '../../base/clock/instant.js';
import { formatDuration } from '../../base/input/duration.js';
import { createLimiter } from '../../base/input/limiter.js';
import type { CriClient } from '../../cri/client/client.js';
import type { PodSandboxConfig, PullImageRequest } from '../../cri/gen/runtime/v1/api.js';
import { referenceFault } from '../../cri/reference-fault.js';
import { createBackOff } from '../backoff/backoff.js';
import { detailsOf, errorText, isUnknown } from '../client/errors.js';
import type { KubeObjects } from '../kube-objects.js';
import type { ContainerSpec } from '../kubernetes/container.js';
import type { Pod } from '../kubernetes/pod.js';
import { type ImageManager, type Recorder, StartError } from '../types/ports.js';
import type { KubeletVersion } from '../types/version.js';
import { createPullManager, type PullRecords, type PullSecret } from './pull-records.js';
import { type Credentials, pullCredentials, warnOfMissingSecrets } from './pull-secrets.js';

/** Before an image lookup, a probe triggered by this sync has connected and its result has reached the loop. */
const PROBE_TURNS = 3;

/** The image back-off is not configurable, and KEP-4603 does not change it (kubelet.go imageBackOff). */
const BACK_OFF = { initial: 10_000, max: 300_000 };

/** image_manager.go NewImageManager. */
export interface ImageManagerOptions {
  readonly cri: Pick<CriClient, 'imageStatus' | 'pullImage'>;
  readonly clock: Clock;
  readonly recorder: Recorder;
  readonly version: KubeletVersion;
  readonly objects: KubeObjects;
  /** Deadline of ImageStatus in ms; PullImage has none (cri-client remote_image.go). */
  readonly requestTimeout: number;
  /** Parallel pulls over all pods; `Infinity` means no limit. */
  readonly parallelPulls: number;
  /** What the node remembers of pulls across kubelet restarts. */
  readonly pullRecords: PullRecords;
  readonly signal: AbortSignal;
}

/** EnsureImageExists (images/image_manager.go): pull policy, back-off, and the exact events and errors. */
export function createImageManager(options: ImageManagerOptions): ImageManager {
  const { clock, recorder, version, objects, parallelPulls } = options;
  const { inspect, fetchImage, millisSince } = createFetcher(options);
  const backOff = createBackOff({ clock, ...BACK_OFF });
  const inTurn = createLimiter(parallelPulls, clock.idle);
  const records = createPullManager(options.pullRecords);
  const lastErrors = new Map<string, string>();

  const present = async (pod: Pod, container: ContainerSpec): Promise<string> => {
    if (container.imagePullPolicy === 'Always') return '';
    try {
      return (await inspect(pod, container.image))?.id ?? '';
    } catch (error) {
      const shown = version.minor >= 32 ? '' : container.image;
      const message = `Failed to inspect image "${shown}": ${errorText(error)}`;
      recorder.event(pod, 'Warning', 'InspectFailed', message, container);
      throw new StartError('ImageInspectError', message);
    }
  };

  /** Whether the pod must pull the image although it is present (KEP-2535). */
  const mustPull = async (pod: Pod, image: string, id: string): Promise<boolean> =>
    version.gates.KubeletEnsureSecretPulledImages &&
    records.mustPull(image, id, async () =>
      (await pullCredentials(objects, pod, image)).map(({ secret }) => secret),
    );

  const pull = async (pod: Pod, container: ContainerSpec, sandbox: unknown): Promise<string> => {
    const { image } = container;
    let done: { readonly id: string; readonly secret: PullSecret | undefined } | undefined;
    records.begin(image);
    try {
      done = await pullUnlessInBackOff(pod, container, sandbox);
      return done.id;
    } finally {
      if (done === undefined) records.failed(image);
      else records.pulled(image, done.id, done.secret);
    }
  };

  const pullUnlessInBackOff = async (pod: Pod, container: ContainerSpec, sandbox: unknown) => {
    const { image } = container;
    const key = `${pod.metadata.uid}_${image}`;
    if (backOff.isInBackOffSinceUpdate(key, clock.now())) {
      const message = `Back-off pulling image "${image}"`;
      recorder.event(pod, 'Normal', 'BackOff', message, container);
      const cause = version.pullErrorInBackOff ? lastErrors.get(key) : undefined;
      throw new StartError('ImagePullBackOff', cause === undefined ? message : `${message}: ${cause}`);
    }
    lastErrors.delete(key);
    recorder.event(pod, 'Normal', 'Pulling', `Pulling image "${image}"`, container, {
      image,
      pull: 'begun',
    });
    const begun = clock.now();
    try {
      const { id, secret, size, took } = await inTurn(() => fetchImage(pod, image, sandbox));
      const text = pulledText({ image, took, tookWithWaiting: millisSince(begun), size });
      recorder.event(pod, 'Normal', 'Pulled', text, container, { image, pull: 'succeeded' });
      backOff.gc();
      return { id, secret };
    } catch (error) {
      const message = `Failed to pull image "${image}": ${pullErrorText(error)}`;
      recorder.event(pod, 'Warning', 'Failed', message, container, { image, pull: 'failed' });
      backOff.next(key, clock.now());
      const failure = pullFailure(image, error);
      lastErrors.set(key, `${failure.reason}: ${failure.message}`);
      throw failure;
    }
  };

  return {
    pullFailed: async (pod) => {
      if (version.minor >= 37) await warnOfMissingSecrets(objects, recorder, pod);
    },
    ensure: async (pod, container, sandbox) => {
      const { image } = container;
      const fault = referenceFault(image);
      if (fault !== undefined) {
        const message = `Failed to apply default image tag "${image}": couldn't parse image name "${image}": ${fault}`;
        recorder.event(pod, 'Warning', 'InspectFailed', message, container);
        throw new StartError('InvalidImageName', message);
      }
      const id = await present(pod, container);
      const isMissing = id === '' || (await mustPull(pod, image, id));
      if (isMissing && container.imagePullPolicy !== 'Never') return pull(pod, container, sandbox);
      if (isMissing) {
        const message = `Container image "${image}" is not present with pull policy of Never`;
        recorder.event(pod, 'Warning', 'ErrImageNeverPull', message, container, { image, pull: 'refused' });
        throw new StartError('ErrImageNeverPull', message);
      }
      const access = version.gates.KubeletEnsureSecretPulledImages ? ' and can be accessed by the pod' : '';
      const message = `Container image "${image}" already present on machine${access}`;
      recorder.event(pod, 'Normal', 'Pulled', message, container, { image, pull: 'present' });
      return id;
    },
  };
}

function createFetcher(options: ImageManagerOptions) {
  const { cri, clock, recorder, version, objects, requestTimeout, signal } = options;
  const inspect = async (pod: Pod, name: string) => {
    const { image } = await cri.imageStatus(
      { image: specOf(pod, name), verbose: false },
      { signal, timeout: requestTimeout },
    );
    await restOfInstant(clock, PROBE_TURNS);
    return image;
  };

  const millisSince = (begun: bigint): number => Number((clock.now() - begun) / 1_000_000n);

  /** The duration of a pull includes the lookup of the size (images/puller.go). */
  const fetchImage = async (pod: Pod, image: string, sandbox: unknown) => {
    const begun = clock.now();
    const sandboxConfig = sandbox as PodSandboxConfig | undefined;
    // From 1.37 on only a sync whose pull failed warns.
    if (version.minor < 37) await warnOfMissingSecrets(objects, recorder, pod);
    const { imageRef, secret } = await pullWith(await pullCredentials(objects, pod, image), {
      image: specOf(pod, image),
      sandboxConfig,
    });
    if (imageRef === '') throw new Error(`imageRef of image "${withTag(image)}" is not set`);
    const size = version.minor >= 30 ? await sizeOf(pod, image) : undefined;
    return { id: imageRef, secret, size, took: millisSince(begun) };
  };

  /** Tries all credentials, or none if there are none; the last error is reported (kuberuntime_image.go PullImage). */
  const pullWith = async (
    credentials: readonly Credentials[],
    request: Pick<PullImageRequest, 'image' | 'sandboxConfig'>,
  ): Promise<{ readonly imageRef: string; readonly secret: PullSecret | undefined }> => {
    const [first, ...others] = credentials;
    try {
      const { imageRef } = await cri.pullImage({ ...request, auth: first?.auth }, { signal });
      return { imageRef, secret: first?.secret };
    } catch (error) {
      if (others.length === 0) throw error;
      return pullWith(others, request);
    }
  };

  /** 0 if the lookup fails. */
  const sizeOf = async (pod: Pod, image: string): Promise<bigint> =>
    (await inspect(pod, image).catch(() => undefined))?.size ?? 0n;

  return { inspect, fetchImage, millisSince };
}

interface Pulled {
  readonly image: string;
  /** ms. */
  readonly took: number;
  /** ms. */
  readonly tookWithWaiting: number;
  readonly size: bigint | undefined;
}

function pulledText({ image, took, tookWithWaiting, size }: Pulled): string {
  const times = `${formatDuration(took)} (${formatDuration(tookWithWaiting)} including waiting)`;
  const text = `Successfully pulled image "${image}" in ${times}`;
  return size === undefined ? text : `${text}. Image size: ${size} bytes.`;
}

/** An error without a specific code is shown without its code (cri-client remote_image.go). */
const pullErrorText = (error: unknown): string => (isUnknown(error) ? detailsOf(error) : errorText(error));

/** evalCRIPullErr (images/types.go): the first word of an error can become the reason; there are two such words. */
function pullFailure(image: string, error: unknown): StartError {
  const details = pullErrorText(error);
  const failed = `image pull failed for ${image} because`;
  if (details.startsWith('RegistryUnavailable')) {
    return new StartError('RegistryUnavailable', `${failed} the registry is unavailable${details.slice(19)}`);
  }
  if (details.startsWith('SignatureValidationFailed')) {
    return new StartError(
      'SignatureValidationFailed',
      `${failed} the signature validation failed${details.slice(25)}`,
    );
  }
  return new StartError('ErrImagePull', details);
}

/** ToRuntimeAPIImageSpec (kuberuntime/convert.go): with the pod's annotations. */
const specOf = ({ metadata }: Pod, image: string) => ({
  image: withTag(image),
  annotations: { ...metadata.annotations },
  userSpecifiedImage: '',
  runtimeHandler: '',
  imageRef: '',
});

/** applyDefaultImageTag: adds `latest` if there is no tag or digest. */
const withTag = (image: string): string => (/@|:[^/:]+$/.test(image) ? image : `${image}:latest`);

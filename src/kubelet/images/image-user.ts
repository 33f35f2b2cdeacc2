import type { CriClient } from '../../cri/client/client.js';
import type { ImageUser } from '../cri-configs/container-config.js';

/** getImageUser (kuberuntime/helpers.go): the user of an image; root if the image sets none. */
export async function imageUser(
  cri: Pick<CriClient, 'imageStatus'>,
  image: string,
  options: { readonly signal: AbortSignal; readonly timeout: number },
): Promise<ImageUser> {
  const spec = { image, annotations: {}, userSpecifiedImage: '', runtimeHandler: '', imageRef: '' };
  const { image: found } = await cri.imageStatus({ image: spec, verbose: false }, options);
  if (found?.uid !== undefined) return { uid: found.uid.value };
  return found?.username ? { username: found.username } : { uid: 0n };
}

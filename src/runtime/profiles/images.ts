import { type Image, ImageSpec, type PullImageRequest } from '../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../cri/service.js';

/**
 * CRI-O and Docker use credentials for any registry, and none that have no colon (server/image_pull.go
 * decodeDockerAuth).
 */
export function forAnyServer({ auth, ...request }: PullImageRequest): PullImageRequest {
  if (auth === undefined) return { ...request, auth };
  const isBase64 = /^[A-Za-z0-9+/=]*$/.test(auth.auth);
  const isUsable = !isBase64 || Buffer.from(auth.auth, 'base64').includes(':');
  return { ...request, auth: { ...auth, serverAddress: '', auth: isUsable ? auth.auth : '' } };
}

/** PullImage returns the digest of the image, if it has one, instead of its id. */
export const pullingDigests =
  (engine: CriService): CriService['pullImage'] =>
  async (request, call) => {
    const reply = await engine.pullImage(forAnyServer(request), call);
    if (Buffer.isBuffer(reply)) return reply;
    const image = ImageSpec.fromPartial({ image: reply.imageRef });
    const found = await engine.imageStatus({ image, verbose: false }, call);
    const [digest] = Buffer.isBuffer(found) ? [] : (found.image?.repoDigests ?? []);
    return { imageRef: digest ?? reply.imageRef };
  };

/** The user of an image; the engine has 0 if the image's config has none. */
export const namedUser = ({ uid }: Image): Image['uid'] => (uid?.value === 0n ? undefined : uid);

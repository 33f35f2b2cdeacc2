import { type Image, ImageSpec } from '../../cri/gen/runtime/v1/api.js';
import type { CriService } from '../../cri/service.js';

/** PullImage returns the digest of the image, if it has one, instead of its id. */
export const pullingDigests =
  (engine: CriService): CriService['pullImage'] =>
  async (request, call) => {
    const reply = await engine.pullImage(request, call);
    if (Buffer.isBuffer(reply)) return reply;
    const image = ImageSpec.fromPartial({ image: reply.imageRef });
    const found = await engine.imageStatus({ image, verbose: false }, call);
    const [digest] = Buffer.isBuffer(found) ? [] : (found.image?.repoDigests ?? []);
    return { imageRef: digest ?? reply.imageRef };
  };

/** The user of an image; the engine has 0 if the image's config has none. */
export const namedUser = ({ uid }: Image): Image['uid'] => (uid?.value === 0n ? undefined : uid);

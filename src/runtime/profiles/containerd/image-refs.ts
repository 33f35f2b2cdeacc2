import {
  ContainerStatusResponse,
  ImageSpec,
  ImageStatusResponse,
  ListContainersResponse,
} from '../../../cri/gen/runtime/v1/api.js';
import type { Layer } from '../../../cri/layer.js';
import { decoded } from '../decoded.js';

/** containerd knows the digests of existing images only: for others, image_ref in ContainerStatus is the id. */
export const imageRefs: Layer = (engine) => {
  // Clients request statuses often, and most images stay.
  let hasRemoved = false;
  return {
    ...engine,
    removeImage: (request, call) => {
      hasRemoved = true;
      return engine.removeImage(request, call);
    },
    containerStatus: async (request, call) => {
      const given = await engine.containerStatus(request, call);
      if (!hasRemoved) return given;
      const { status, info } = decoded(ContainerStatusResponse, given);
      if (status === undefined) return given;
      const { id, imageRef } = status;
      const image = ImageSpec.fromPartial({ image: imageRef });
      const found = decoded(ImageStatusResponse, await engine.imageStatus({ image, verbose: false }, call));
      if (found.image !== undefined) return given;
      const filter = { id, podSandboxId: '', labelSelector: {}, state: undefined };
      const listed = decoded(ListContainersResponse, await engine.listContainers({ filter }, call));
      return { status: { ...status, imageRef: listed.containers[0]?.imageRef ?? imageRef }, info };
    },
  };
};

import { messageOf } from '../../base/input/error-text.js';
import type { CriService } from '../../cri/service.js';
import { addPod, givenPodSchema } from '../assembly/add-pod.js';
import type { Runtime } from '../engine/runtime.js';
import { Problem } from './problem.js';
import type { Route } from './router.js';

/** `POST /v1/pods` makes a pod with containers in given states, as a CRI client would. Fault rules do not act on it. */
export const podRoutes = (runtime: Runtime, service: CriService): Route[] => [
  {
    method: 'POST',
    path: '/v1/pods',
    handle: async ({ body }) => {
      const given = await body(givenPodSchema);
      const id = await addPod(given, { service, runtime }).catch((error: unknown) => {
        throw new Problem(409, messageOf(error));
      });
      return { status: 201, json: { pod: runtime.snapshot().sandboxes.find((each) => each.id === id) } };
    },
  },
];

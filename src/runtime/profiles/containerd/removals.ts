import type { Clock } from '../../../base/clock/clock.js';
import { StatusError } from '../../../cri/errors.js';
import { ListContainersResponse } from '../../../cri/gen/runtime/v1/api.js';
import type { Call, CriService } from '../../../cri/service.js';
import { Code } from '../../../cri/status-code.js';
import { decoded } from '../decoded.js';
import { createUnderWay, hasFailed } from '../under-way.js';

type Removal = CriService['removePodSandbox'];

/** Two concurrent RemovePodSandbox calls collide: one finds that the other is already removing the first container. */
export function removals(engine: CriService, clock: Clock): Removal {
  const underWay = createUnderWay();
  return async (request, call) => {
    const { podSandboxId } = request;
    const other = underWay.of(podSandboxId);
    if (other !== undefined) {
      const container = await firstContainer(engine, podSandboxId, call);
      if (container !== undefined) {
        await hasFailed(clock, other);
        throw new StatusError(Code.UNKNOWN, busy(container));
      }
    }
    return underWay.run(podSandboxId, () => engine.removePodSandbox(request, call));
  };
}

const busy = (id: string): string =>
  `failed to remove container "${id}": failed to set removing state for container "${id}": container is already in removing state`;

async function firstContainer(
  engine: CriService,
  podSandboxId: string,
  call: Call,
): Promise<string | undefined> {
  const filter = { id: '', podSandboxId, labelSelector: {}, state: undefined };
  const reply = await engine.listContainers({ filter }, call);
  return decoded(ListContainersResponse, reply).containers[0]?.id;
}

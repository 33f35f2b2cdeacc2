import { ContainerEventResponse } from '../../src/cri/gen/runtime/v1/api.js';
import type { CriService } from '../../src/cri/service.js';
import type { RuntimeUnderTest } from './runtime-under-test.js';

/** Subscribes twice from now on; in virtual time `start` runs each subscriber as a separate task. */
export function followTwice(
  service: CriService,
  start: (follow: () => Promise<void>) => Promise<void> = (follow) => follow(),
): RuntimeUnderTest['events'] {
  const subscribe = (): readonly ContainerEventResponse[] => {
    const received: ContainerEventResponse[] = [];
    void start(async () => {
      const call = { signal: new AbortController().signal, deadline: undefined };
      for await (const event of service.getContainerEvents({}, call))
        received.push(Buffer.isBuffer(event) ? ContainerEventResponse.decode(event) : event);
    });
    return received;
  };
  return [subscribe(), subscribe()];
}

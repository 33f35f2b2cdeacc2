import { ContainerEventResponse, ContainerEventType } from '../../../cri/gen/runtime/v1/api.js';
import { append, encode } from '../state/protobuf-splice.js';
import type { ContainerRecord, SandboxRecord } from '../state/records.js';
import { containerStatus, sandboxStatus } from '../state/status.js';
import type { Timestamps } from '../state/timestamps.js';
import type { EventBus } from './event-bus.js';

/** The names of events, without `CONTAINER_` and `_EVENT`. */
export type EventName = 'CREATED' | 'STARTED' | 'STOPPED' | 'DELETED';

const POD_SANDBOX_STATUS = 4;
const CONTAINERS_STATUSES = 5;

/** Publishes the event of a transition. Call it in the same tick as the transition, so that the statuses show it. */
export type Announce = (
  event: EventName,
  record: SandboxRecord | ContainerRecord,
  withStatus?: boolean,
) => void;

/** Appends statuses in the form of status replies: most of their bytes are encoded already. */
export function createAnnouncer(bus: EventBus, timestamps: Timestamps): Announce {
  return (event, record, withStatus = true) => {
    const createdAt = timestamps.next();
    if (!bus.wanted) return;
    const head = encode(ContainerEventResponse, {
      containerId: record.id,
      containerEventType: ContainerEventType[`CONTAINER_${event}_EVENT`],
      createdAt,
      podSandboxStatus: undefined,
      containersStatuses: [],
    });
    const sandbox = 'sandbox' in record ? record.sandbox : record;
    if (!withStatus) return bus.publish(head);
    bus.publish(
      append(head, [
        { field: POD_SANDBOX_STATUS, frames: [sandboxStatus(sandbox)] },
        { field: CONTAINERS_STATUSES, frames: sandbox.containers.map(containerStatus) },
      ]),
    );
  };
}

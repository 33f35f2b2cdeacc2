import {
  type ContainerEventResponse,
  ContainerState,
  PodSandboxState,
} from '../../cri/gen/runtime/v1/api.js';
import { eventNames } from '../conformance/event-recorder.js';
import type { Made } from './objects.js';
import type { Side } from './side.js';
import type { EventTrace } from './trace.js';

/** The events of all objects of a sequence, by alias. A name that was used twice has the events of both objects. */
export function traceEvents(
  { events }: Side,
  made: readonly Made[],
): ReadonlyMap<string, readonly EventTrace[]> {
  const traces = new Map<string, EventTrace[]>();
  for (const { alias, id } of made)
    traces.set(alias, [...(traces.get(alias) ?? []), ...events.of(id).map((event) => traceOf(event, id))]);
  return traces;
}

function traceOf(event: ContainerEventResponse, id: string): EventTrace {
  const { containerEventType: type, podSandboxStatus: pod, containersStatuses } = event;
  const container = containersStatuses.find((status) => status.id === id);
  const state =
    container !== undefined
      ? nameOf(ContainerState, container.state, 'CONTAINER_')
      : pod?.id === id
        ? nameOf(PodSandboxState, pod.state, 'SANDBOX_')
        : 'absent';
  return {
    type: eventNames[type] ?? `type ${type}`,
    state,
    podState: pod === undefined ? 'absent' : nameOf(PodSandboxState, pod.state, 'SANDBOX_'),
  };
}

const nameOf = (names: Readonly<Record<number, string>>, value: number, prefix: string): string =>
  names[value]?.replace(prefix, '') ?? String(value);

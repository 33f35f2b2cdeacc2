import type { ContainerEventResponse } from '../../../../cri/gen/runtime/v1/api.js';
import { type EventName, eventNames } from '../../../../tape/world/shown.js';
import type { CheckContext } from '../../check-context.js';
import type { EventRecorder } from '../../event-recorder.js';

export const isOf = (id: string, name: EventName) => (event: ContainerEventResponse) =>
  event.containerId === id && eventNames[event.containerEventType] === name;

/** Runs a pod with one container through its whole life, with a forced removal at the end; waits for its last event. */
export async function wholeLife(t: CheckContext, recorder: EventRecorder) {
  const sandbox = await t.sandbox();
  const containerId = await t.start(sandbox);
  await t.cri.stopContainer({ containerId, timeout: 0n });
  await recorder.waitFor(isOf(containerId, 'STOPPED'), 'STOPPED of the container', t.patience);
  await t.cri.removeContainer({ containerId });
  await t.cri.stopPodSandbox({ podSandboxId: sandbox.id });
  await recorder.waitFor(isOf(sandbox.id, 'STOPPED'), 'STOPPED of the sandbox', t.patience);
  await t.cri.removePodSandbox({ podSandboxId: sandbox.id });
  await recorder.waitFor(isOf(containerId, 'DELETED'), 'DELETED of the container', t.patience);
  return { sandboxId: sandbox.id, containerId };
}

/** A short text for an event, the same for every subscriber. */
export const key = (event: ContainerEventResponse): string =>
  `${eventNames[event.containerEventType]} ${event.containerId} ${event.createdAt}`;

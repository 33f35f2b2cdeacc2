import type { MessageType } from '../../cri/messages.js';
import { Event, PluginDefinition } from './gen/nri/v1alpha1/api.js';

type Methods = typeof PluginDefinition.methods;

export type EventMethod = keyof typeof events;

interface EventKind {
  readonly event: Event;
  /** NRI before 0.12 lacks the method, and has StateChange. */
  readonly fallsBack: boolean;
}

export const events = {
  runPodSandbox: { event: Event.RUN_POD_SANDBOX, fallsBack: true },
  updatePodSandbox: { event: Event.UPDATE_POD_SANDBOX, fallsBack: false },
  postUpdatePodSandbox: { event: Event.POST_UPDATE_POD_SANDBOX, fallsBack: true },
  stopPodSandbox: { event: Event.STOP_POD_SANDBOX, fallsBack: true },
  removePodSandbox: { event: Event.REMOVE_POD_SANDBOX, fallsBack: true },
  createContainer: { event: Event.CREATE_CONTAINER, fallsBack: false },
  postCreateContainer: { event: Event.POST_CREATE_CONTAINER, fallsBack: true },
  startContainer: { event: Event.START_CONTAINER, fallsBack: true },
  postStartContainer: { event: Event.POST_START_CONTAINER, fallsBack: true },
  updateContainer: { event: Event.UPDATE_CONTAINER, fallsBack: false },
  postUpdateContainer: { event: Event.POST_UPDATE_CONTAINER, fallsBack: true },
  stopContainer: { event: Event.STOP_CONTAINER, fallsBack: false },
  removeContainer: { event: Event.REMOVE_CONTAINER, fallsBack: true },
  validateContainerAdjustment: { event: Event.VALIDATE_CONTAINER_ADJUSTMENT, fallsBack: false },
} as const satisfies Partial<Record<keyof Methods, EventKind>>;

export const ALL_EVENTS = (1 << (Event.LAST - 1)) - 1;

export const isSubscribed = (mask: number, method: EventMethod): boolean =>
  (mask & (1 << (events[method].event - 1))) !== 0;

/** The events of a mask, such as `CreateContainer`. */
export const eventNames = (mask: number): string[] =>
  (Object.keys(events) as EventMethod[]).filter((method) => isSubscribed(mask, method)).map(nameOf);

/** Returns the type of the reply to a request such as `CreateContainer`. Throws for an unknown name. */
export function replyOf(name: string): Pick<MessageType, 'fromPartial'> {
  const found = Object.values(PluginDefinition.methods).find((method) => method.name === name);
  if (found === undefined) throw new Error(`plugins have no method ${name}`);
  return found.responseType as Pick<MessageType, 'fromPartial'>;
}

/** `CreateContainer` for `createContainer`. */
export const nameOf = (method: keyof Methods): string => PluginDefinition.methods[method].name;

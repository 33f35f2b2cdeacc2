import type { ContainerEventResponse } from '../cri/gen/runtime/v1/api.js';
import { type CallSubject, subjectOfEvent, subjectOfRequest } from '../cri/subject.js';
import type { Subject } from './entries.js';
import type { Message } from './message.js';
import { ObjectNames } from './world/names.js';

export interface Subjects {
  ofRequest(method: string, request: object): Subject;
  ofMessage(method: string, message: Message): Subject;
  learn(method: string, request: Message, reply: Message): void;
}

export function createSubjects(): Subjects {
  const names = new ObjectNames();
  return {
    learn: (method, request, reply) => names.learn(method, request.value(), reply),
    ofRequest: (method, request) => subjectOf(subjectOfRequest(method, request, names)),
    ofMessage: (method, message) => {
      if (method !== 'GetContainerEvents') return {};
      names.see(method, message);
      return subjectOf(subjectOfEvent(message.value<ContainerEventResponse>(), names));
    },
  };
}

/** The part of a subject that an entry stores. */
export function subjectOf({ pod, container }: CallSubject): Subject {
  return {
    ...(pod && {
      pod: {
        ...(pod.id && { id: pod.id }),
        name: pod.name,
        namespace: pod.namespace,
        ...(pod.uid && { uid: pod.uid }),
        attempt: pod.attempt,
      },
    }),
    ...(container && {
      container: {
        ...(container.id && { id: container.id }),
        name: container.name,
        attempt: container.attempt,
      },
    }),
  };
}

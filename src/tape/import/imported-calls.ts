import { messageTypeOf } from '../../cri/messages.js';
import type { EntryOf, Happening } from '../entries.js';
import { type Direction, Message } from '../message.js';
import { createSubjects } from '../subjects.js';

/** A request or an answer as a log has it; messages are in protobuf's JSON form, as far as the log goes. */
export interface LoggedCall {
  /** Unix nanoseconds. */
  readonly time: bigint;
  readonly method: string;
  /** Which call it belongs to, among those of the same method that are open: the oldest one that says the same. */
  readonly key: string;
  readonly message: Record<string, unknown>;
  /** Nanoseconds until the client's deadline. */
  readonly timeout?: number | undefined;
}

/** How a call ended. */
export interface LoggedAnswer extends LoggedCall {
  readonly code: EntryOf<'reply'>['code'];
  readonly details?: string | undefined;
}

/** Puts the calls of a log together: gives each its number, and what it is about. */
export interface ImportedCalls {
  begun(call: LoggedCall): Happening;
  /** Undefined for the answer to a call that the log lacks. */
  ended(answer: LoggedAnswer): Happening | undefined;
  /** Calls, and answers without one. */
  readonly counts: { readonly calls: number; readonly orphans: number };
}

/** None at first. */
export function createImportedCalls(): ImportedCalls {
  const subjects = createSubjects();
  const open = new Map<string, { readonly number: number; readonly request: Message }[]>();
  const counts = { calls: 0, orphans: 0 };
  return {
    counts,
    begun: ({ method, key, message, timeout }) => {
      const request = messageOf(method, 'Request', message);
      const number = ++counts.calls;
      const same = open.get(`${method} ${key}`) ?? [];
      open.set(`${method} ${key}`, [...same, { number, request }]);
      return {
        kind: 'call',
        call: number,
        method,
        connection: 0,
        ...subjects.ofRequest(method, request.value()),
        ...(timeout !== undefined && { timeout }),
        message: request,
      };
    },
    ended: ({ method, key, message, code, details }) => {
      const [asked, ...others] = open.get(`${method} ${key}`) ?? [];
      if (asked === undefined) {
        counts.orphans++;
        return undefined;
      }
      open.set(`${method} ${key}`, others);
      const common = { kind: 'reply' as const, call: asked.number, method, code };
      if (code !== 'OK') return { ...common, ...(details && { details }) };
      const reply = messageOf(method, 'Response', message);
      subjects.learn(method, asked.request, reply);
      return { ...common, message: reply };
    },
  };
}

/** Numbers and names of a log get the form that a tape has; fields that Mockri does not know are left out. */
const messageOf = (method: string, direction: Direction, json: object): Message =>
  Message.of(method, direction, messageTypeOf(method, direction).fromJSON(json));

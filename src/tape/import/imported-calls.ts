import { InputError } from '../../base/input/yaml.js';
import { messageTypeOf } from '../../cri/messages.js';
import type { EntryOf, Happening } from '../entries.js';
import { type Direction, Message } from '../message.js';
import { openProblem } from '../open-limits.js';
import { createSubjects } from '../subjects.js';

/** FIFO queues by key, with constant-time removal. */
class Waiting<T> {
  readonly #lines = new Map<string, { first: Place<T>; last: Place<T> }>();

  add(key: string, value: T): void {
    const place: Place<T> = { value, next: undefined };
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { first: place, last: place });
    else {
      line.last.next = place;
      line.last = place;
    }
  }

  /** Removes and returns the first item of a queue; undefined if it is empty. */
  take(key: string): T | undefined {
    const line = this.#lines.get(key);
    if (line === undefined) return undefined;
    const { value, next } = line.first;
    if (next === undefined) this.#lines.delete(key);
    else line.first = next;
    return value;
  }
}

interface Place<T> {
  readonly value: T;
  next: Place<T> | undefined;
}

/** A request or reply in a log; messages are in protobuf JSON, possibly incomplete. */
export interface LoggedCall {
  /** Unix nanoseconds. */
  readonly time: bigint;
  readonly method: string;
  /** Identifies the call among open calls of the method: the oldest one with the same key. */
  readonly key: string;
  readonly message: Record<string, unknown>;
  /** Nanoseconds until the client's deadline. */
  readonly timeout?: number | undefined;
}

export interface LoggedAnswer extends LoggedCall {
  readonly code: EntryOf<'reply'>['code'];
  readonly details?: string | undefined;
}

interface Asked {
  readonly number: number;
  readonly request: Message;
  readonly length: number;
}

export interface ImportedCalls {
  /** `length` is the line's length in characters. Throws InputError if more calls are open than a tape may have. */
  begun(call: LoggedCall, length: number): Happening;
  /** Undefined for a reply to a call that the log lacks. */
  ended(answer: LoggedAnswer): Happening | undefined;
  readonly counts: { readonly calls: number; readonly orphans: number };
}

export function createImportedCalls(): ImportedCalls {
  const subjects = createSubjects();
  const waiting = new Waiting<Asked>();
  const open = { calls: 0, characters: 0 };
  const counts = { calls: 0, orphans: 0 };
  return {
    counts,
    begun: ({ method, key, message, timeout }, length) => {
      const request = messageOf(method, 'Request', message);
      const number = ++counts.calls;
      waiting.add(`${method} ${key}`, { number, request, length });
      open.calls++;
      open.characters += length;
      const problem = openProblem(open.calls, open.characters);
      if (problem !== undefined) throw new InputError([problem]);
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
      const asked = waiting.take(`${method} ${key}`);
      if (asked === undefined) {
        counts.orphans++;
        return undefined;
      }
      open.calls--;
      open.characters -= asked.length;
      const common = { kind: 'reply' as const, call: asked.number, method, code };
      if (code !== 'OK') return { ...common, ...(details && { details }) };
      const reply = messageOf(method, 'Response', message);
      subjects.learn(method, asked.request, reply);
      return { ...common, message: reply };
    },
  };
}

const messageOf = (method: string, direction: Direction, json: object): Message =>
  Message.of(method, direction, messageTypeOf(method, direction).fromJSON(json));

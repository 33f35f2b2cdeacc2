import { InputError } from '../../base/input/yaml.js';
import { messageTypeOf } from '../../cri/messages.js';
import type { EntryOf, Happening } from '../entries.js';
import { type Direction, Message } from '../message.js';
import { openProblem } from '../open-limits.js';
import { createSubjects } from '../subjects.js';

/** What waits in line, by what it waits for. To take one takes the same time however many there are. */
class Waiting<T> {
  readonly #lines = new Map<string, { first: Place<T>; last: Place<T> }>();

  /** At the end of a line. */
  add(key: string, value: T): void {
    const place: Place<T> = { value, next: undefined };
    const line = this.#lines.get(key);
    if (line === undefined) this.#lines.set(key, { first: place, last: place });
    else {
      line.last.next = place;
      line.last = place;
    }
  }

  /** The first one of a line, which is taken out of it; undefined for none. */
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

/** A call that is open. */
interface Asked {
  readonly number: number;
  readonly request: Message;
  readonly length: number;
}

/** Puts the calls of a log together: gives each its number, and what it is about. */
export interface ImportedCalls {
  /** `length` is that of its line, in characters. Throws InputError when more calls are open than a tape may have. */
  begun(call: LoggedCall, length: number): Happening;
  /** Undefined for the answer to a call that the log lacks. */
  ended(answer: LoggedAnswer): Happening | undefined;
  /** Calls, and answers without one. */
  readonly counts: { readonly calls: number; readonly orphans: number };
}

/** Makes a collection of calls that a log shows. */
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

/** Numbers and names of a log get the form that a tape has; fields that Mockri does not know are left out. */
const messageOf = (method: string, direction: Direction, json: object): Message =>
  Message.of(method, direction, messageTypeOf(method, direction).fromJSON(json));

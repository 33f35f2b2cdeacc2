import { InputError } from '../base/input/yaml.js';
import { type Entry, type Line, lineSchema } from './entries.js';
import { REMEMBERED, TAPE_VERSION } from './line-writer.js';
import { createLru } from './lru.js';
import { type Direction, Message } from './message.js';
import { openProblem } from './open-limits.js';

/** Reads lines in order; checks each one by itself and against earlier ones. */
export interface LineReader {
  /** Parses the next line. Throws InputError with file and line. */
  read(text: string): Entry;
  /** Number of the last line, from 1. */
  readonly line: number;
}

/** `file` is for error messages. */
export function createLineReader(file: string): LineReader {
  const messages = createLru<number, { readonly message: Message; readonly type: string }>(REMEMBERED);
  const order = createOrder();
  let line = 0;

  const refuse = (why: string): never => {
    throw new InputError([`${file}:${line}: ${why}`]);
  };
  const messageOf = (checked: Line, text: string): Message | undefined => {
    if (checked.kind !== 'call' && checked.kind !== 'reply' && checked.kind !== 'message') return undefined;
    const { message, raw, sameAs, method } = checked;
    const direction: Direction = checked.kind === 'call' ? 'Request' : 'Response';
    const type = `${method} ${direction}`;
    if (sameAs !== undefined) {
      const before = messages.get(sameAs);
      if (before?.type === type) return before.message;
      return refuse(`sameAs: line ${sameAs} has no message of ${method} that it can refer to`);
    }
    if (message === undefined)
      return checked.kind === 'reply' ? undefined : refuse('message: it is missing, and so is sameAs');
    const made = Message.ofJson(method, direction, message, {
      raw: raw === undefined ? undefined : Buffer.from(raw, 'base64'),
      where: `${file}:${line}`,
    });
    messages.add(line, { message: made, type }, text.length);
    return made;
  };

  return {
    get line() {
      return line;
    },
    read: (text) => {
      line++;
      let given: unknown;
      try {
        given = JSON.parse(text);
      } catch {
        return refuse(`this is not JSON: ${JSON.stringify(text.slice(0, 60))}`);
      }
      if (line === 1) checkHeader(given, refuse);
      const checked = lineSchema.safeParse(given);
      if (!checked.success) return refuse(problemOf(checked.error.issues));
      const problem = order.problem(checked.data, text.length);
      if (problem !== undefined) return refuse(problem);
      try {
        return entryOf(checked.data, messageOf(checked.data, text));
      } catch (error) {
        if (error instanceof InputError) throw error;
        return refuse((error as Error).message);
      }
    },
  };
}

function entryOf(line: Line, message: Message | undefined): Entry {
  if (message === undefined && !('raw' in line) && !('sameAs' in line)) return line as Entry;
  const { raw: _, sameAs: __, ...rest } = line as Line & { raw?: string; sameAs?: number };
  return (message === undefined ? rest : Object.assign(rest, { message })) as Entry;
}

function checkHeader(given: unknown, refuse: (why: string) => never): void {
  const { kind, version } = (given ?? {}) as { readonly kind?: unknown; readonly version?: unknown };
  if (kind !== 'header') refuse('this is not a tape: its first line has to be of kind "header"');
  if (typeof version === 'number' && version > TAPE_VERSION)
    refuse(`the tape is of version ${version}; this program reads up to version ${TAPE_VERSION}`);
}

interface Issue {
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly code?: string;
}

function problemOf(issues: readonly Issue[]): string {
  const [first] = issues;
  if (first === undefined) return 'it does not have the form of an entry';
  if (first.path.length === 0 || first.path.join('.') === 'kind') {
    if (first.code === 'invalid_union') return 'kind: it is missing, or none of those that a tape has';
  }
  const path = first.path.map(String).join('.');
  return path === '' ? first.message : `${path}: ${first.message}`;
}

/** Checks conditions between lines: time never decreases, and each call is answered once, after its request. */
function createOrder(): { problem(line: Line, length: number): string | undefined } {
  const open = new Map<number, number>();
  let openText = 0;
  let hasGap = false;
  let last = 0;
  let lastCall = 0;
  let isFirst = true;
  return {
    problem: (line, length) => {
      if (line.kind === 'header' && !isFirst) return 'kind: a header is allowed only in the first line';
      isFirst = false;
      if (line.t < last) return `t: ${line.t} is before the line above, which is at ${last}`;
      last = line.t;
      if (line.kind === 'gap') hasGap = true;
      if (line.kind === 'call') {
        if (line.call <= lastCall) return `call: ${line.call} comes after call ${lastCall}`;
        lastCall = line.call;
        open.set(line.call, length);
        openText += length;
        const problem = openProblem(open.size, openText);
        if (problem !== undefined) return `call: ${problem}`;
      }
      if (line.kind !== 'reply' && line.kind !== 'message' && line.kind !== 'end') return undefined;
      if (!open.has(line.call) && !hasGap)
        return `call: no call ${line.call} is open here, so that nothing can answer it`;
      if (line.kind === 'message') return undefined;
      openText -= open.get(line.call) ?? 0;
      open.delete(line.call);
      return undefined;
    },
  };
}

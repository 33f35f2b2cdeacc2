import type { Header, Line } from '../../entries.js';
import { createTimelineBuilder, type TimelineBuilder } from './builder.js';
import type { Timeline } from './timeline.js';

/** Types of fields, the same in all kinds of lines; `named` is an object with a name. */
const TYPES: Readonly<Record<string, 'number' | 'string' | 'boolean' | 'object' | 'named'>> = {
  ...ofType('number', 'call connection timeout exitCode restarts lost delay duration took'),
  ...ofType(
    'string',
    'node method code details rule action on what from text ready status reason field type image probe outcome state peer id taint stream imageCommand by plugin failure',
  ),
  ...ofType('boolean', 'evicting waits'),
  ...ofType('object', 'message'),
  ...ofType('named', 'pod container'),
};

/** The first field with another type than the page expects. */
const wrongField = (line: object): string | undefined =>
  Object.entries(line).find(
    ([field, value]) => Object.hasOwn(TYPES, field) && !isOf(TYPES[field], value),
  )?.[0];

/** Newest format version that the page reads. */
const VERSION = 1;

/** Problem of a file, with its line if there is one. */
export class TapeProblem extends Error {
  override readonly name = 'TapeProblem';
}

/** A parsed tape: its picture, and its lines for details. */
export interface ReadTape {
  readonly name: string;
  readonly timeline: Timeline;
  /** A line of the file, from 1. */
  text(line: number): string | undefined;
  /** Where and why reading ended early; undefined for a complete tape. */
  readonly problem: string | undefined;
}

/**
 * Parses a tape. Stops at a damaged line and reports it as `problem`. Throws TapeProblem for a file that is not a tape,
 * or has a newer version.
 */
export function readTape(name: string, text: string): ReadTape {
  const offsets: number[] = [0];
  let builder: TimelineBuilder | undefined;
  let last = 0;
  let problem: string | undefined;
  const lineText = (line: number) => {
    const start = offsets[line - 1];
    if (start === undefined) return undefined;
    return text.slice(start, offsets[line] === undefined ? undefined : (offsets[line] as number) - 1);
  };
  for (let start = 0, line = 1; start < text.length; line++) {
    const newline = text.indexOf('\n', start);
    const stop = newline < 0 ? text.length : newline;
    const entry = parse(text.slice(start, stop));
    if (builder === undefined) builder = createTimelineBuilder(headerOf(name, entry));
    else {
      problem = problemOf(entry, last, line, newline < 0);
      if (problem !== undefined) break;
      last = (entry as Line).t;
      builder.add(entry as Line, line);
    }
    start = stop + 1;
    offsets.push(start);
  }
  if (builder === undefined) throw new TapeProblem(`${name}: this is no tape: the file is empty`);
  return { name, timeline: builder.timeline(), text: lineText, problem };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Parses the header. Throws TapeProblem. */
export function headerOf(name: string, given: unknown): Header {
  const header = (given ?? {}) as Partial<Header>;
  if (header.kind !== 'header')
    throw new TapeProblem(`${name}: this is no tape: its first line has to be JSON of kind "header"`);
  const { version, startedAt } = header;
  if (typeof version !== 'number') throw new TapeProblem(`${name}:1: version: a number is expected`);
  if (version > VERSION)
    throw new TapeProblem(
      `${name}: the tape is of version ${version}; this page reads up to version ${VERSION}`,
    );
  if (typeof startedAt !== 'string' || !/^\d{1,20}$/.test(startedAt))
    throw new TapeProblem(`${name}:1: startedAt: nanoseconds as text are expected`);
  return header as Header;
}

/** Undefined for a valid line. */
function problemOf(entry: unknown, last: number, line: number, isLast: boolean): string | undefined {
  if (entry === undefined)
    return isLast
      ? `line ${line} is cut off; the lines before it are shown`
      : `line ${line} is no JSON; the lines before it are shown`;
  const { t, kind } = (entry ?? {}) as { readonly t?: unknown; readonly kind?: unknown };
  if (typeof t !== 'number' || typeof kind !== 'string')
    return `line ${line} is no entry of a tape: t or kind is missing; the lines before it are shown`;
  if (!Number.isSafeInteger(t))
    return `line ${line}: t is no whole number of nanoseconds below 2^53; the lines before it are shown`;
  if (t < last) return `line ${line} goes back in time; the lines before it are shown`;
  const needed = Object.hasOwn(NEEDED, kind) ? (NEEDED[kind] ?? []) : [];
  const missing = needed.filter((field) => (entry as Record<string, unknown>)[field] === undefined);
  if (missing.length > 0)
    return `line ${line}: ${missing.join(', ')} is missing; the lines before it are shown`;
  const wrong = wrongField(entry as object);
  return wrong && `line ${line}: ${wrong} has a value of another type; the lines before it are shown`;
}

function ofType<T>(type: T, fields: string): Record<string, T> {
  return Object.fromEntries(fields.split(' ').map((field) => [field, type]));
}

function isOf(type: string | undefined, value: unknown): boolean {
  if (type !== 'object' && type !== 'named') return typeof value === type;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return type === 'object' || typeof (value as { readonly name?: unknown }).name === 'string';
}

/** Required fields by kind. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  call: ['call', 'method'],
  reply: ['call', 'method', 'code'],
  message: ['call', 'method'],
  end: ['call', 'method', 'code'],
  connection: ['connection', 'what'],
  plugin: ['plugin', 'connection', 'what'],
  nri: ['plugin', 'connection', 'method', 'took'],
  fault: ['rule', 'action'],
  container: ['what'],
  sandbox: ['pod', 'what'],
  log: ['from', 'text'],
  row: ['pod', 'ready', 'status', 'restarts'],
  event: ['pod', 'reason', 'text', 'field', 'type'],
  node: ['ready', 'text'],
  backoff: ['pod', 'container', 'delay'],
  pleg: ['state'],
  probe: ['pod', 'container', 'probe', 'outcome'],
  kubelet: ['what'],
  pod: ['pod', 'what'],
  step: ['text'],
  gap: ['lost', 'text'],
};

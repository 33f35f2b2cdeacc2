import schema from '../../../../schemas/tape.schema.json' with { type: 'json' };
import type { Header, Line } from '../../entries.js';
import { createTimelineBuilder, type TimelineBuilder } from './builder.js';
import type { Timeline } from './timeline.js';

/** The newest version of the format that the page reads. */
const VERSION = 1;

/** Problem of a file, with its line if there is one. */
export class TapeProblem extends Error {
  override readonly name = 'TapeProblem';
}

export interface ReadTape {
  readonly name: string;
  readonly timeline: Timeline;
  /** A line of the file, from 1. */
  text(line: number): string | undefined;
  /** Where and why reading ended early; undefined for a complete tape. */
  readonly problem: string | undefined;
}

/** Stops at a damaged line and reports it as `problem`. Throws TapeProblem for another file or a newer version. */
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
  if (builder === undefined) throw new TapeProblem(`${name}: this is not a tape: the file is empty`);
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
    throw new TapeProblem(`${name}: this is not a tape: its first line has to be JSON of kind "header"`);
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
      : `line ${line} is not JSON; the lines before it are shown`;
  const { t, kind } = (entry ?? {}) as { readonly t?: unknown; readonly kind?: unknown };
  if (typeof t !== 'number' || typeof kind !== 'string')
    return `line ${line} is not an entry of a tape: t or kind is missing; the lines before it are shown`;
  if (!Number.isSafeInteger(t))
    return `line ${line}: t is not a whole number of nanoseconds below 2^53; the lines before it are shown`;
  if (t < last) return `line ${line} goes back in time; the lines before it are shown`;
  const { properties = {}, required = [] } = kinds.get(kind) ?? {};
  const fields = new Map(Object.entries(entry as object));
  const missing = required.filter((field) => !fields.has(field));
  if (missing.length > 0)
    return `line ${line}: ${missing.join(', ')} is missing; the lines before it are shown`;
  const wrong = Object.keys(properties).find(
    (field) => fields.has(field) && !fits(properties[field], fields.get(field)),
  );
  return wrong && `line ${line}: ${wrong} has a value of another type; the lines before it are shown`;
}

/** A part of the schema of lines, as schemas/tape.schema.json has it. */
interface Shape {
  readonly $ref?: string;
  readonly allOf?: readonly Shape[];
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly items?: Shape;
  readonly properties?: Readonly<Record<string, Shape>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Shape;
}

const definitions = new Map<string | undefined, Shape>(Object.entries(schema.definitions));
/** The build of the page leaves only the name of a reference. */
const named = (shape: Shape): Shape => definitions.get(shape.$ref?.replace('#/definitions/', '')) ?? shape;
/** What lines of each kind have. Other fields, and other kinds, are left to newer programs. */
const kinds = new Map<unknown, Shape>(
  schema.oneOf.map((shape: Shape) => [named(shape.properties?.kind ?? {}).const, shape]),
);

/** Whether a value is as the schema says. */
function fits(given: Shape | undefined, value: unknown): boolean {
  const shape = named(given ?? {});
  const { type, allOf = [], items, properties = {}, required = [], additionalProperties: others } = shape;
  if (!allOf.every((part) => fits(part, value))) return false;
  if (shape.enum?.includes(value) === false || (shape.const ?? value) !== value) return false;
  if (typeof value === 'number' && value < (shape.minimum ?? value)) return false;
  if (type === 'integer') return Number.isSafeInteger(value);
  if (type === 'array') return Array.isArray(value) && value.every((each) => fits(items, each));
  if (type !== 'object') return type === undefined || typeof value === type;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const fields = Object.entries(value);
  return (
    required.every((field) => Object.hasOwn(value, field)) &&
    fields.every(([field, each]) => {
      const part = Object.hasOwn(properties, field) ? properties[field] : others;
      return typeof part !== 'object' || fits(part, each);
    })
  );
}

import type { Document } from 'yaml';
import type { z } from 'zod';
import { givenText } from './given.js';
import { type InputProblem, inOrder } from './in-order.js';
import { didYouMean } from './suggest.js';
import { alternatives, enumerated, expectationOf } from './wording.js';
import { loadYaml, type Mistake, MOST_MISTAKES, readDocument } from './yaml-document.js';

export type { InputProblem } from './in-order.js';

/** Rejected input; the message has one line per problem, each with its place. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly string[];
  readonly details: readonly InputProblem[];

  constructor(problems: readonly (string | InputProblem)[]) {
    const texts = problems.map((problem) => (typeof problem === 'string' ? problem : showProblem(problem)));
    super(texts.join('\n'));
    this.problems = texts;
    this.details = problems.filter((problem) => typeof problem !== 'string');
  }
}

/** `faults.yaml:7:5: faults[0].when.tmies: unknown key` */
function showProblem({ source, line, column, field, message }: InputProblem): string {
  const place = line === undefined ? source : `${source}:${line}:${column}`;
  return `${place}: ${field ? `${field}: ` : ''}${message}`;
}

export interface ReadYaml<S extends z.ZodType> {
  /** The schema's output, with defaults, and durations as numbers. */
  readonly value: z.output<S>;
  /** The input as written, without defaults, for callers that pass a part of it to another reader. */
  readonly written: z.input<S>;
  /** A problem that the schema can't find, with the line of the field at this path. */
  problem(path: Path, message: string): InputProblem;
}

/**
 * Parses YAML (or JSON, a subset) and checks it against a schema. Throws InputError with lines such as
 * `faults.yaml:7:5: faults[0].when.tmies: unknown key; did you mean "times"?`.
 */
export const parseYaml = <S extends z.ZodType>(text: string, schema: S, file: string): z.output<S> =>
  readYaml(text, schema, file).value;

/** Like `parseYaml`, but also returns the written value. */
export const readYaml = <S extends z.ZodType>(text: string, schema: S, file: string): ReadYaml<S> =>
  openYaml(text, file).read(schema);

export interface OpenYaml {
  readonly written: unknown;
  /** Checks it, or `given`, which was derived from it, against a schema. Throws InputError with line numbers. */
  read<S extends z.ZodType>(schema: S, given?: unknown): ReadYaml<S>;
  problem(path: Path, message: string): InputProblem;
  part(path: Path): OpenYaml;
}

interface OpenOptions {
  /** Called for duplicate keys, of which the last counts, as for kubectl. Default: they are errors. */
  readonly onRepeated?: (problem: InputProblem) => void;
  /** See `readDocument`. */
  readonly mostTokens?: number;
}

/** Throws InputError for invalid YAML and JSON. */
export function openYaml(text: string, file: string, { onRepeated, mostTokens }: OpenOptions = {}): OpenYaml {
  const control = CONTROL.exec(text);
  if (control !== null) throw new InputError([noText(control[0], text.slice(0, control.index), file)]);
  const { document, value: written, mistakes, repeated, place: placeOf } = readDocument(text, mostTokens);
  const place = (offset: number): Place => ({ source: file, ...placeOf(offset) });
  const placed = (all: readonly Mistake[]) =>
    all.map(({ offset, message }) => ({ ...place(offset), message }));
  if (document === undefined) throw new InputError(placed(mistakes));
  if (onRepeated === undefined && repeated.length > 0) throw new InputError(placed(repeated));
  for (const problem of placed(repeated)) onRepeated?.(problem);
  const viewOf = (value: unknown, above: Path): OpenYaml => {
    const placeAt = (path: Path) => place(offsetOf(document, [...above, ...path]));
    const problem = (path: Path, message: string) => ({ ...placeAt(path), field: show(path), message });
    return {
      written: value,
      problem,
      part: (path) => viewOf(valueAt(value, path), [...above, ...path]),
      read: <S extends z.ZodType>(schema: S, given = value) => {
        const read = check(given, schema, placeAt);
        const lost = lostKey(given, read, []);
        if (lost !== undefined) throw new InputError([problem(lost, "a key can't have this name here")]);
        return { value: read, written: given as z.input<S>, problem };
      },
    };
  };
  return viewOf(written, []);
}

/** Marks the start or end of a document: `---` at the start of a line is never part of a text. */
const MARKER = /^(?:---|\.\.\.)(?=\s|$)/m;

/** Parses the non-empty documents of a file. Throws InputError for invalid YAML. */
export function openDocuments(text: string, file: string, options: OpenOptions = {}): OpenYaml[] {
  const documents: OpenYaml[] = [];
  let lines = 0;
  for (const [index, part] of text.split(MARKER).entries()) {
    // Preserves line numbers, and columns after a marker.
    const placed = `${'\n'.repeat(lines)}${index === 0 ? '' : '   '}${part}`;
    lines += part.split('\n').length - 1;
    if (hasContent(part)) documents.push(openYaml(placed, file, options));
  }
  return documents.filter(({ written }) => written !== null && written !== undefined);
}

const hasContent = (part: string): boolean =>
  part.split('\n').some((line) => line.trim() !== '' && !/^\s*(#|%)/.test(line));

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>((found, key) => (isObject(found) ? found[String(key)] : undefined), value);

const PROTOTYPE = '__proto__';

/** The first key `__proto__` that the schema dropped instead of rejecting it, as zod does in records. */
function lostKey(written: unknown, value: unknown, path: Path): Path | undefined {
  if (!isObject(written) || !isObject(value)) return undefined;
  if (Object.hasOwn(written, PROTOTYPE) && !Object.hasOwn(value, PROTOTYPE)) return [...path, PROTOTYPE];
  for (const key of Object.keys(written)) {
    const found = lostKey(written[key], Object.hasOwn(value, key) ? value[key] : undefined, [...path, key]);
    if (found !== undefined) return found;
  }
  return undefined;
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

/** Characters that YAML does not allow (YAML 1.2, 5.1), and that terminals should not receive. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const CONTROL = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f]/;

function noText(character: string, before: string, source: string): InputProblem {
  const lines = before.split('\n');
  const code = character.charCodeAt(0).toString(16).padStart(2, '0');
  const message = `a control character (0x${code}); is this a text file?`;
  return { source, line: lines.length, column: (lines.at(-1)?.length ?? 0) + 1, message };
}

/** Checks a value without lines, such as a request body or flags, against a schema. */
export function checkInput<S extends z.ZodType>(value: unknown, schema: S, source: string): z.output<S> {
  return check(value, schema, () => ({ source }));
}

type Place = Pick<InputProblem, 'source' | 'line' | 'column'>;

function check<S extends z.ZodType>(value: unknown, schema: S, place: (path: Path) => Place): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  const problems = result.error.issues
    .slice(0, MOST_MISTAKES)
    .flatMap((issue) => describe(issue, [], schema, place, value))
    .slice(0, MOST_MISTAKES);
  throw new InputError(inOrder(problems));
}

type Path = readonly PropertyKey[];

/** One line per problem; for a union, the problem of the branch that got furthest. */
function describe(
  issue: z.core.$ZodIssue,
  above: Path,
  schema: z.ZodType,
  place: (path: Path) => Place,
  whole: unknown,
): InputProblem[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.slice(0, MOST_MISTAKES).map((key) => {
      const allowed = known.length > 0 ? `; allowed: ${enumerated(known)}` : '';
      const message = `unknown key${didYouMean(key, known) || allowed}`;
      return { ...place([...path, key]), field: show([...path, key]), message };
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest =
      [...issue.errors].sort((a, b) => depth(b) - depth(a) || unknownKeys(a) - unknownKeys(b))[0] ?? [];
    if (depth(deepest) > 0) return deepest.flatMap((inner) => describe(inner, path, schema, place, whole));
    const told = issue.errors.find((branch) => branch.every(isSaid));
    if (told !== undefined) return told.flatMap((inner) => describe(inner, path, schema, place, whole));
    const keys = knownKeys(schema, path);
    const all = issue.errors.flatMap((branch) => branch.map((inner) => expectationOf(inner, keys)));
    return describe(
      { code: 'custom', path: issue.path, message: alternatives(all), input: issue.input },
      above,
      schema,
      place,
      whole,
    );
  }
  const near =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? didYouMean(
          issue.input,
          issue.values.filter((value) => typeof value === 'string'),
        )
      : '';
  const message = expectationOf(issue, knownKeys(schema, path));
  return [
    {
      ...place(path),
      field: show(path) || undefined,
      message: `${message}${isSaid(issue) ? '' : givenText(issue, valueAt(whole, path))}${near}`,
    },
  ];
}

/** A check of a whole mapping has already reported the mistake. */
const isSaid = (issue: z.core.$ZodIssue): boolean =>
  issue.code === 'custom' && typeof issue.input === 'object';

/** How far a branch got. An unknown or missing key counts less than an invalid value. */
const depth = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length + beyond(issue)));

function beyond(issue: z.core.$ZodIssue): number {
  if (issue.code === 'unrecognized_keys') return 0.5;
  return issue.input === undefined && issue.code !== 'custom' && issue.path.length > 0 ? -0.5 : 0;
}

const unknownKeys = (issues: readonly z.core.$ZodIssue[]): number =>
  issues.reduce((sum, issue) => sum + (issue.code === 'unrecognized_keys' ? issue.keys.length : 0), 0);

/** `faults[0].when.times` */
function show(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}

function knownKeys(schema: z.ZodType, path: Path): string[] {
  let candidates: unknown[] = [schema];
  for (const key of path) candidates = candidates.flatMap(branches).flatMap((branch) => childOf(branch, key));
  const keys = candidates.flatMap(branches).flatMap((branch) => Object.keys(shapeOf(branch) ?? {}));
  return [...new Set(keys)];
}

interface SchemaDefinition {
  readonly type?: string;
  readonly shape?: Record<string, unknown>;
  readonly element?: unknown;
  readonly innerType?: unknown;
  readonly valueType?: unknown;
  readonly options?: readonly unknown[];
  readonly in?: unknown;
  readonly getter?: () => unknown;
}

const definitionOf = (schema: unknown): SchemaDefinition =>
  (schema as { _zod?: { def: SchemaDefinition } })?._zod?.def ?? {};

/** Unwraps optional, default, pipe, lazy and union types. */
function branches(schema: unknown): unknown[] {
  const definition = definitionOf(schema);
  if (definition.options !== undefined) return definition.options.flatMap(branches);
  const inner = definition.innerType ?? definition.in ?? definition.getter?.();
  return inner === undefined ? [schema] : branches(inner);
}

const shapeOf = (schema: unknown): Record<string, unknown> | undefined => definitionOf(schema).shape;

function childOf(schema: unknown, key: PropertyKey): unknown[] {
  const definition = definitionOf(schema);
  const child = definition.shape?.[String(key)] ?? definition.element ?? definition.valueType;
  return child === undefined ? [] : [child];
}

/** Start of the node at a path: the key, for a member of a mapping. The nearest ancestor if it is missing. */
function offsetOf(document: Document.Parsed, path: Path): number {
  const { isNode } = loadYaml();
  for (let length = path.length; length > 0; length--) {
    const parent = document.getIn(path.slice(0, length - 1), true) ?? document.contents;
    const key = path[length - 1];
    const items = (parent as { items?: { key?: unknown }[] })?.items ?? [];
    const pair = items.find((item) => isNode(item.key) && (item.key as { value?: unknown }).value === key);
    const node = pair?.key ?? document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

import { createRequire } from 'node:module';
import type { Document, isNode } from 'yaml';
import type { z } from 'zod';
import { didYouMean } from './suggest.js';

/** Input that was refused; the message has one line a problem, each with its place. */
export class InputError extends Error {
  override readonly name = 'InputError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

/**
 * Reads YAML (or JSON, which is YAML) and checks it against a schema. Throws InputError, whose lines look like
 * `faults.yaml:7:5: faults[0].when.tmies: unknown key; did you mean "times"?`.
 */
export function parseYaml<S extends z.ZodType>(text: string, schema: S, file: string): z.output<S> {
  const yaml = loadYaml();
  const lines = new yaml.LineCounter();
  const document = yaml.parseDocument(text, { lineCounter: lines, prettyErrors: false });
  const place = (offset: number) => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  if (document.errors.length > 0) {
    throw new InputError(document.errors.map((error) => `${place(error.pos[0])}: ${error.message}`));
  }
  return check(document.toJS({ maxAliasCount: 100 }), schema, (path) =>
    place(offsetOf(document, path, yaml.isNode)),
  );
}

/** With its many modules it is loaded when there is something to read: a server without files starts without it. */
const loadYaml = (): typeof import('yaml') => createRequire(import.meta.url)('yaml');

/** Checks a value that has no lines, such as a request body or flags, against a schema. */
export function checkInput<S extends z.ZodType>(value: unknown, schema: S, source: string): z.output<S> {
  return check(value, schema, () => source);
}

function check<S extends z.ZodType>(value: unknown, schema: S, place: (path: Path) => string): z.output<S> {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return result.data;
  throw new InputError(result.error.issues.flatMap((issue) => describe(issue, [], schema, place)));
}

type Path = readonly PropertyKey[];

/** One line for a problem; a union's problem is that of the branch that came furthest. */
function describe(
  issue: z.core.$ZodIssue,
  above: Path,
  schema: z.ZodType,
  place: (path: Path) => string,
): string[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'unrecognized_keys') {
    const known = knownKeys(schema, path);
    return issue.keys.map((key) => {
      const allowed = known.length > 0 ? `; allowed: ${known.join(', ')}` : '';
      return `${place([...path, key])}: ${show([...path, key])}: unknown key${didYouMean(key, known) || allowed}`;
    });
  }
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const deepest = [...issue.errors].sort((a, b) => depth(b) - depth(a))[0] ?? [];
    if (depth(deepest) > 0) return deepest.flatMap((inner) => describe(inner, path, schema, place));
    const messages = new Set(issue.errors.flatMap((branch) => branch.map((inner) => inner.message)));
    return describe(
      { code: 'custom', path: issue.path, message: [...messages].join('; or '), input: issue.input },
      above,
      schema,
      place,
    );
  }
  const given = 'input' in issue && issue.input !== undefined ? `; given ${brief(issue.input)}` : '';
  const near =
    issue.code === 'invalid_value' && typeof issue.input === 'string'
      ? didYouMean(issue.input, issue.values.map(String))
      : '';
  const where = path.length > 0 ? `${show(path)}: ` : '';
  return [`${place(path)}: ${where}${issue.message}${given}${near}`];
}

const depth = (issues: readonly z.core.$ZodIssue[]): number =>
  Math.max(0, ...issues.map((issue) => issue.path.length + (issue.code === 'unrecognized_keys' ? 0.5 : 0)));

function brief(value: unknown): string {
  const text =
    JSON.stringify(value, (_, part) => (typeof part === 'bigint' ? `${part}` : part)) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}

/** `faults[0].when.times` */
function show(path: Path): string {
  return path.reduce<string>(
    (text, key) =>
      typeof key === 'number' ? `${text}[${key}]` : text === '' ? String(key) : `${text}.${String(key)}`,
    '',
  );
}

/** The keys that the schema allows at a path, as far as it says. */
function knownKeys(schema: z.ZodType, path: Path): string[] {
  let candidates: unknown[] = [schema];
  for (const key of path) candidates = candidates.flatMap(branches).flatMap((branch) => childOf(branch, key));
  return candidates.flatMap(branches).flatMap((branch) => Object.keys(shapeOf(branch) ?? {}));
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

/** Looks through optional, default, pipe, lazy and union wrappers. */
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

type IsNode = typeof isNode;

/** Where the node at a path begins: the key, for a member of a mapping. The nearest ancestor if it is missing. */
function offsetOf(document: Document.Parsed, path: Path, isNode: IsNode): number {
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

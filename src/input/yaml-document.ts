import { createRequire } from 'node:module';
import type { Alias, CST, Document, Node, ScalarTag } from 'yaml';

/** How deep lists and mappings may be nested: reading is recursive, and a few KB of brackets would fill the stack. */
export const MAX_DEPTH = 100;

/** How many mistakes of one text are named: each costs time and memory, and nobody reads thousands. */
export const MOST_MISTAKES = 20;

/** How often aliases may repeat their anchors, so that a short text can't fill the memory. */
const MAX_ALIASES = 100;

/** Something in a text that is not YAML, or not YAML that is read. */
export interface Mistake {
  /** Characters before it. */
  readonly offset: number;
  readonly message: string;
}

/** One document of YAML. */
export interface YamlDocument {
  /** Undefined when there are mistakes. */
  readonly document: Document.Parsed | undefined;
  /** What stands in the document, as JavaScript has it. */
  readonly value: unknown;
  /** At most MOST_MISTAKES. */
  readonly mistakes: readonly Mistake[];
  /** Line and column of an offset, both from 1. */
  place(offset: number): { readonly line: number; readonly column: number };
}

const require = createRequire(import.meta.url);

/** Loads the library when there is something to read: with its many modules it would delay the start of a server. */
export function loadYaml(): typeof import('yaml') {
  // Node resolves the path in the file system each time, also of what is loaded.
  library ??= require('yaml') as typeof import('yaml');
  return library;
}

let library: typeof import('yaml') | undefined;

/** `0640`, which kubectl reads as octal (YAML 1.1); in YAML 1.2 it is decimal. */
const OCTAL: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:int',
  test: /^[-+]?0[0-7]+$/,
  resolve: (text) => Number.parseInt(text, 8),
};

/** Thrown to end the reading of a text. */
class Enough extends Error {}

/**
 * Reads one document in time and memory proportional to its length. Too deep nesting is found before anything is built of
 * it (parser.stack holds the open collections).
 */
export function readDocument(text: string): YamlDocument {
  // The library makes an error for each mistake, thousands in a bad text, and nobody sees where in its code.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return read(text);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function read(text: string): YamlDocument {
  const { Lexer, Parser, Composer, LineCounter } = loadYaml();
  const lines = new LineCounter();
  const mistakes: Mistake[] = [];
  const note = (offset: number, message: string): void => {
    mistakes.push({ offset, message });
    if (mistakes.length >= MOST_MISTAKES) throw new Enough();
  };
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  function* tokens(): Generator<CST.Token> {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      if (parser.stack.length <= MAX_DEPTH) continue;
      mistakes.push({ offset: parser.offset, message: `nested more than ${MAX_DEPTH} levels deep` });
      throw new Enough();
    }
    yield* parser.end();
  }
  const composer = new Composer({
    uniqueKeys: false,
    logLevel: 'error',
    customTags: (tags) => [OCTAL, ...tags],
  });
  // Its own list of errors has no limit, and each error records a stack trace.
  Object.assign(composer, {
    onError: (source: ErrorSource, code: string, message: string, isWarning?: boolean) => {
      if (!isWarning) note(offsetOf(source), wordsFor(code, message));
    },
  });
  let document: Document.Parsed | undefined;
  let value: unknown;
  try {
    for (const next of composer.compose(tokens(), true, text.length)) {
      for (const { pos, code, message } of next.errors) note(pos[0], wordsFor(code, message));
      if (document !== undefined) {
        note(next.range[0], 'a second document begins here; one is read, so remove the "---"');
        break;
      }
      document = next as Document.Parsed;
    }
    if (document !== undefined && mistakes.length === 0) check(document, text, note);
    if (mistakes.length === 0) value = document?.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    if (error instanceof ReferenceError)
      mistakes.push({
        offset: Math.max(0, text.indexOf('*')),
        message: `aliases repeat more than ${MAX_ALIASES} parts; write them out`,
      });
    else if (error instanceof Error && error.message.startsWith('Merge sources'))
      // Only YAML 1.1, which a directive asks for, has merge keys.
      mistakes.push({
        offset: Math.max(0, text.indexOf('<<')),
        message: 'only mappings can be merged with <<',
      });
    else if (!(error instanceof Enough)) throw error;
  }
  const place = (offset: number) => {
    const { line, col: column } = lines.linePos(offset);
    return { line, column };
  };
  return { document: mistakes.length > 0 ? undefined : document, value, mistakes, place };
}

/** Where the library's composer finds an error. */
type ErrorSource = number | readonly [number, number] | { readonly offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}

/** Words for the mistakes whose own ones are for programmers. */
function wordsFor(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; one is read, so remove the "---"';
  return message.length > 160 ? `${message.slice(0, 159)}…` : message;
}

/** Duplicate keys, and aliases to nothing, to themselves or to too much. */
function check(
  document: Document.Parsed,
  text: string,
  note: (offset: number, message: string) => void,
): void {
  const { visit, isMap, isNode, isAlias, isScalar } = loadYaml();
  const anchors = new Map<string, Node>();
  /** How many levels there are below a node that has an anchor, including its aliases. */
  const heights = new Map<Node, number>();
  visit(document, (_, node, path) => {
    if (!isNode(node)) return;
    const offset = node.range?.[0] ?? 0;
    const above = path.filter((one): one is Node => isNode(one));
    let depth = above.length;
    if (isAlias(node)) depth += heightOf(node, above, offset);
    else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (depth > MAX_DEPTH) note(offset, `nested more than ${MAX_DEPTH} levels deep, including aliases`);
    for (const [level, ancestor] of [...above, node].entries())
      if ('anchor' in ancestor && ancestor.anchor !== undefined)
        heights.set(ancestor, Math.max(heights.get(ancestor) ?? 0, depth - level));
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      const at = key.range?.[0] ?? offset;
      if (seen.has(key.value))
        note(at, `the key ${written(text.slice(at, at + 80))} is there already; give it once`);
      seen.add(key.value);
    }
  });

  function heightOf(alias: Alias, above: readonly Node[], offset: number): number {
    const target = anchors.get(alias.source);
    if (target === undefined)
      note(offset, `the alias *${alias.source} has no anchor &${alias.source} before it`);
    else if (above.includes(target))
      note(offset, `the alias *${alias.source} refers to a part that contains it`);
    return (target && heights.get(target)) ?? 0;
  }
}

/** A key as it is written, in quotes. */
function written(rest: string): string {
  const [, quoted, plain] = /^(?:(["'].*?["'])|([^:\s]+))/.exec(rest) ?? [];
  return quoted ?? `"${plain}"`;
}

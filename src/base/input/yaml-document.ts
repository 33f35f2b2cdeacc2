import { createRequire } from 'node:module';
import type { Alias, CST, Document, Lexer, Node, ScalarTag } from 'yaml';

/** Maximum nesting: reading is recursive, and a few KB of brackets would overflow the stack. */
export const MAX_DEPTH = 100;

/** Maximum number of reported mistakes per text: each costs time and memory. */
export const MOST_MISTAKES = 20;

/** Maximum number of values repeated by aliases, so that a short text can't fill the memory. */
const MOST_REPEATED = 1000;

export interface Mistake {
  /** In characters. */
  readonly offset: number;
  readonly message: string;
}

export interface YamlDocument {
  /** Undefined if there are mistakes. */
  readonly document: Document.Parsed | undefined;
  readonly value: unknown;
  readonly mistakes: readonly Mistake[];
  /** Duplicate keys; the last value counts. At most MOST_MISTAKES. */
  readonly repeated: readonly Mistake[];
  /** Line and column of an offset, both from 1. */
  place(offset: number): { readonly line: number; readonly column: number };
}

const require = createRequire(import.meta.url);

/** Loads the library on first use: its many modules would delay the start of a server. */
export function loadYaml(): typeof import('yaml') {
  // Node resolves the path each time, even for loaded modules.
  library ??= require('yaml') as typeof import('yaml');
  return library;
}

let library: typeof import('yaml') | undefined;

/** Quotes words such as `yes`, which kubectl and the kubelet read as booleans. */
export const writeYaml = (value: unknown): string =>
  loadYaml().stringify(value, { compat: 'yaml-1.1', lineWidth: 120, aliasDuplicateObjects: false });

/** Booleans of kubectl (go-yaml resolve.go), in addition to `true` and `false`. */
const TRUE = /^(?:[yY]|yes|Yes|YES|on|On|ON)$/;
const FALSE = /^(?:[nN]|no|No|NO|off|Off|OFF)$/;

const boolean = (test: RegExp, value: boolean): ScalarTag => ({
  default: true,
  tag: 'tag:yaml.org,2002:bool',
  test,
  resolve: () => value,
});

/** `0640` is octal, and underscores separate digits (go-yaml resolve.go), unlike in YAML 1.2. */
const INTEGER: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:int',
  test: /^[-+]?(?:0[xX][\da-fA-F_]*[\da-fA-F]|0[bB][01_]*[01]|0[oO]?[0-7_]*[0-7]|\d[\d_]*)$/,
  resolve: (text) => {
    const digits = text.replace(/[-+_]/g, '').replace(/^0(?=[0-7]+$)/, '0o');
    return text.startsWith('-') ? -Number(digits) : Number(digits);
  },
};

const FLOAT: ScalarTag = {
  default: true,
  tag: 'tag:yaml.org,2002:float',
  test: /^[-+]?\d[\d_]*(?:\.[\d_]*)?(?:[eE][-+]?\d+)?$/,
  resolve: (text) => Number(text.replaceAll('_', '')),
};

const KUBECTL_SCALARS = [boolean(TRUE, true), boolean(FALSE, false), INTEGER, FLOAT];

/** Its methods that treat the indentation of a line as syntax. */
interface IndentLexer {
  indentNext: number;
  parseFlowCollection(): Generator<string, unknown>;
  parseQuotedScalar(): Generator<string, unknown>;
}

/**
 * Lets lines of quoted texts and flow lists begin in any column, like go-yaml (scannerc.go compares columns only in
 * block context). YAML 1.2 and the library require them deeper than their key.
 */
function createLexer(): Lexer {
  const lexer = new (loadYaml().Lexer)();
  const methods: IndentLexer = Object.getPrototypeOf(lexer);
  for (const name of ['parseFlowCollection', 'parseQuotedScalar'] as const) {
    const parse = methods[name];
    Object.assign(lexer, {
      *[name](this: IndentLexer) {
        const { indentNext } = this;
        this.indentNext = 0;
        const next = yield* parse.call(this);
        this.indentNext = indentNext;
        return next;
      },
    });
  }
  return lexer;
}

class Enough extends Error {}

/**
 * Reads one document in time and memory proportional to its length. Detects too deep nesting before building anything
 * (parser.stack holds the open collections). A token of the library is a word or a sign, and takes about 4 µs.
 */
export function readDocument(text: string, mostTokens = Number.POSITIVE_INFINITY): YamlDocument {
  // The library creates an error for each mistake, thousands in a bad text, whose stacks are useless.
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return read(text, mostTokens);
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function read(text: string, mostTokens: number): YamlDocument {
  const { Parser, Composer, LineCounter } = loadYaml();
  const lines = new LineCounter();
  const mistakes: Mistake[] = [];
  const repeated: Mistake[] = [];
  const note = (offset: number, message: string): void => {
    mistakes.push({ offset, message });
    if (mistakes.length >= MOST_MISTAKES) throw new Enough();
  };
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  function giveUp(message: string): never {
    mistakes.push({ offset: parser.offset, message });
    throw new Enough();
  }
  function* tokens(): Generator<CST.Token> {
    let count = 0;
    for (const lexeme of createLexer().lex(text)) {
      yield* parser.next(lexeme);
      if (parser.stack.length > MAX_DEPTH) giveUp(`nested more than ${MAX_DEPTH} levels deep`);
      if (++count > mostTokens) giveUp(`more than ${mostTokens} words and signs; send less at a time`);
    }
    yield* parser.end();
  }
  const composer = new Composer({
    uniqueKeys: false,
    logLevel: 'error',
    // Like go-yaml: no space before a comment, and merge keys; numbers and words below replace those of a directive.
    strict: false,
    merge: true,
    schema: 'core',
    customTags: (tags) => [...KUBECTL_SCALARS, ...tags],
    // Keys stay as written, also `on` and `1.10`.
    stringKeys: true,
  });
  // The library's list of errors is unlimited, and each error records a stack trace.
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
    if (document !== undefined && mistakes.length === 0) check(document, text, note, repeated);
    if (mistakes.length === 0) value = document?.toJS({ maxAliasCount: -1 });
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('Merge sources'))
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
  return { document: mistakes.length > 0 ? undefined : document, value, mistakes, repeated, place };
}

type ErrorSource = number | readonly [number, number] | { readonly offset: number };

function offsetOf(source: ErrorSource): number {
  if (typeof source === 'number') return source;
  return 'offset' in source ? source.offset : source[0];
}

/** Replaces messages that are for programmers. */
function wordsFor(code: string, message: string): string {
  if (code === 'NON_STRING_KEY') return 'a key is a text; no list, mapping or alias can be one';
  if (code === 'MULTIPLE_DOCS') return 'a second document begins here; one is read, so remove the "---"';
  return message.length > 160 ? `${message.slice(0, 159)}…` : message;
}

/** Finds duplicate keys, and aliases to nothing, to themselves or to too much. */
function check(
  document: Document.Parsed,
  text: string,
  note: (offset: number, message: string) => void,
  repeated: Mistake[],
): void {
  const { visit, isMap, isNode, isAlias, isScalar } = loadYaml();
  const anchors = new Map<string, Node>();
  /** Levels and values below a node with an anchor, including its aliases. */
  const heights = new Map<Node, number>();
  const sizes = new Map<Node, number>();
  let copies = 0;
  visit(document, (_, node, path) => {
    if (!isNode(node)) return;
    const offset = node.range?.[0] ?? 0;
    const above = path.filter((one): one is Node => isNode(one));
    let depth = above.length;
    let size = 1;
    if (isAlias(node)) {
      const target = targetOf(node, above, offset);
      depth += (target && heights.get(target)) ?? 0;
      size = (target && sizes.get(target)) ?? 1;
      copies += size;
      if (copies > MOST_REPEATED && copies - size <= MOST_REPEATED)
        note(offset, `aliases repeat more than ${MOST_REPEATED} values; write them out`);
    } else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    if (depth > MAX_DEPTH) note(offset, `nested more than ${MAX_DEPTH} levels deep, including aliases`);
    for (const [level, ancestor] of [...above, node].entries())
      if ('anchor' in ancestor && ancestor.anchor !== undefined) {
        heights.set(ancestor, Math.max(heights.get(ancestor) ?? 0, depth - level));
        sizes.set(ancestor, (sizes.get(ancestor) ?? 0) + size);
      }
    if (!isMap(node)) return;
    const seen = new Set<unknown>();
    for (const { key } of node.items) {
      if (!isScalar(key)) continue;
      const at = key.range?.[0] ?? offset;
      if (seen.has(key.value) && repeated.length < MOST_MISTAKES)
        repeated.push({
          offset: at,
          message: `the key ${written(text.slice(at, at + 80))} is given twice; give it once`,
        });
      seen.add(key.value);
    }
  });

  function targetOf(alias: Alias, above: readonly Node[], offset: number): Node | undefined {
    const target = anchors.get(alias.source);
    if (target === undefined)
      note(offset, `the alias *${alias.source} has no anchor &${alias.source} before it`);
    else if (above.includes(target))
      note(offset, `the alias *${alias.source} refers to a part that contains it`);
    return target;
  }
}

function written(rest: string): string {
  const [, quoted, plain] = /^(?:(["'].*?["'])|([^:\s]+))/.exec(rest) ?? [];
  return quoted ?? `"${plain}"`;
}

import { append } from '../../base/input/group-by.js';
import { InputError } from '../../base/input/yaml.js';
import type { Direction, JsonObject } from '../message.js';
import { unquote } from './go-text.js';
import { type Shapes, type Step, shapesOf } from './shapes.js';

type Node = Map<string, Value[]>;
type Value = { readonly word: string } | { readonly text: string } | Node;

const TOKEN = /\s*(?:([A-Za-z_]\w*)\s*(?=[:{])|(:)|([{<])|([}>])|("(?:\\.|[^"\\])*")|([^\s{}<>:"]+))/y;

/** Parses one message of prototext. Throws InputError for anything else. */
export function parseProtoText(text: string): Node {
  const at = { index: 0 };
  const node = readNode(text, at, false);
  if (text.slice(at.index).trim() !== '') throw misfit(text, at.index);
  return node;
}

const misfit = (text: string, at: number) =>
  new InputError([
    `this is not a message in protobuf's text format: ${JSON.stringify(text.slice(at, at + 40))}`,
  ]);

function readNode(text: string, at: { index: number }, isInner: boolean): Node {
  const node: Node = new Map();
  for (;;) {
    const begun = at.index;
    const token = next(text, at);
    if (token === undefined) {
      if (isInner) throw misfit(text, begun);
      return node;
    }
    if (token.close && isInner) return node;
    if (token.name === undefined) throw misfit(text, begun);
    append(node, token.name, readValue(text, at));
  }
}

function readValue(text: string, at: { index: number }): Value {
  const begun = at.index;
  let token = next(text, at);
  if (token?.colon) token = next(text, at);
  if (token?.open) return readNode(text, at, true);
  const word = token?.word ?? token?.name;
  if (token?.quoted !== undefined) return { text: unquote(token.quoted.slice(1, -1)) };
  if (word === undefined) throw misfit(text, begun);
  return { word };
}

function next(text: string, at: { index: number }) {
  TOKEN.lastIndex = at.index;
  const found = TOKEN.exec(text);
  if (found === null) return undefined;
  at.index = TOKEN.lastIndex;
  const [, name, colon, open, close, quoted, word] = found;
  return { name, colon, open, close, quoted, word };
}

/** Converts an RPC's message from prototext to protobuf JSON; `path` leads to the field of the text. */
export function jsonOfProtoText(
  rpc: string,
  direction: Direction,
  text: string,
  path: readonly string[] = [],
): JsonObject {
  const steps = path.map((name) => ({ name, isList: false }));
  const json = toJson(parseProtoText(text), shapesOf(rpc, direction), steps);
  return path.reduceRight<JsonObject>((inner, name) => ({ [name]: inner }), json);
}

function toJson(node: Node, shapes: Shapes, path: readonly Step[]): JsonObject {
  const shape = shapes(path);
  const json: JsonObject = {};
  for (const [given, values] of node) {
    const name = given.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
    const form = shape[name];
    const isList = Array.isArray(form);
    const one = (value: Value) => jsonValueOf(value, shapes, [...path, { name, isList }], form);
    if (isList) json[name] = values.map(one);
    else if (isMap(form, values))
      json[name] = Object.fromEntries(values.map((value) => pairOf(value as Node)));
    else json[name] = one(values.at(-1) as Value);
  }
  return json;
}

function jsonValueOf(value: Value, shapes: Shapes, path: readonly Step[], form: unknown): unknown {
  if (value instanceof Map) return toJson(value, shapes, path);
  if ('text' in value)
    return form instanceof Uint8Array ? Buffer.from(value.text, 'latin1').toString('base64') : value.text;
  if (value.word === 'true' || value.word === 'false') return value.word === 'true';
  return value.word;
}

const isMap = (form: unknown, values: readonly Value[]): boolean =>
  typeof form === 'object' &&
  form !== null &&
  !(form instanceof Uint8Array) &&
  values.every((value) => value instanceof Map);

function pairOf(entry: Node): [string, unknown] {
  const read = (name: string) => {
    const [value] = entry.get(name) ?? [];
    return value === undefined || value instanceof Map ? '' : 'text' in value ? value.text : value.word;
  };
  return [read('key'), read('value')];
}

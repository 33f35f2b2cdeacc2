import { InputError } from '../../base/input/yaml.js';
import type { Direction, JsonObject } from '../message.js';
import { type Shapes, type Step, shapesOf } from './shapes.js';

/**
 * Converts a message that a Go program wrote as a value to protobuf JSON, such as
 * `&StopContainerRequest{ContainerId:5c0e,Timeout:30,}` (String methods of gogo/protobuf). Texts are unquoted, so a
 * value ends where the name of a possible next field begins. Items of text lists are separated only by spaces. Throws
 * InputError for anything else.
 */
export function jsonOfGoValue(rpc: string, direction: Direction, text: string): JsonObject {
  const reader = new GoValueReader(text, shapesOf(rpc, direction));
  return reader.message([]);
}

/** CRI-O's replacement for a list that could contain a secret. */
const FILTERED = '[FILTERED]';

interface Field {
  readonly name: string;
  /** Its value in an empty message; undefined for a message. */
  readonly form: unknown;
  /** End of the value: a comma and the name of a possible next field, or the end of the message. */
  readonly end: RegExp;
}

class GoValueReader {
  readonly #text: string;
  readonly #shapes: Shapes;
  #at = 0;

  constructor(text: string, shapes: Shapes) {
    this.#text = text;
    this.#shapes = shapes;
  }

  message(path: readonly Step[]): JsonObject {
    this.#expect(/&\w+\{/y);
    const shape = this.#shapes(path);
    const json: JsonObject = {};
    const open = new Set(Object.keys(shape));
    while (!this.#skips(/\}/y)) {
      const field = fieldOf(shape, open, this.#expect(/(\w+):/y));
      open.delete(field.name);
      const value = this.#value(field, path);
      if (value !== undefined) json[field.name] = value;
      this.#expect(/,/y);
    }
    return json;
  }

  #value(field: Field, path: readonly Step[]): unknown {
    const { name, form, end } = field;
    if (this.#skips(/nil(?=,)/y)) return undefined;
    if (this.#skips(/\[\]\*\w+\{/y)) return this.#messages([...path, { name, isList: true }]);
    if (form === undefined && this.#isAt(/&\w+\{/y)) return this.message([...path, { name, isList: false }]);
    if (this.#skips(/map\[string\]\w+\{/y)) return this.#map(end);
    const text = this.#until(end);
    if (text === FILTERED) return undefined;
    if (form instanceof Uint8Array) return bytesOf(text);
    if (Array.isArray(form)) return partsOf(text);
    return typeof form === 'boolean' ? text === 'true' : text;
  }

  #messages(path: readonly Step[]): JsonObject[] {
    const all: JsonObject[] = [];
    while (!this.#skips(/\}/y)) {
      all.push(this.message(path));
      this.#expect(/,/y);
    }
    return all;
  }

  /** Parses `key: value,` pairs ordered by key. A value with a comma and a word with a colon looks like two. */
  #map(end: RegExp): Record<string, string> {
    if (this.#skips(/\}/y)) return {};
    const text = this.#until(new RegExp(`,\\}(?=${end.source})`, 'g'));
    this.#expect(/,\}/y);
    return Object.fromEntries(
      text.split(/,(?=[\w./-]+: )/).map((entry) => {
        const [key = '', ...value] = entry.split(': ');
        return [key, value.join(': ')];
      }),
    );
  }

  #until(end: RegExp): string {
    end.lastIndex = this.#at;
    const found = end.exec(this.#text);
    if (found === null) throw this.#misfit();
    const text = this.#text.slice(this.#at, found.index);
    this.#at = found.index;
    return text;
  }

  #expect(pattern: RegExp): string {
    const found = this.#match(pattern);
    if (found === null) throw this.#misfit();
    this.#at = pattern.lastIndex;
    return found[1] ?? '';
  }

  #skips(pattern: RegExp): boolean {
    const isThere = this.#isAt(pattern);
    if (isThere) this.#at = pattern.lastIndex;
    return isThere;
  }

  readonly #isAt = (pattern: RegExp): boolean => this.#match(pattern) !== null;

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    return pattern.exec(this.#text);
  }

  #misfit(): InputError {
    const there = JSON.stringify(this.#text.slice(this.#at, this.#at + 40));
    return new InputError([`this is not a message as Go prints values: ${there}`]);
  }
}

const goName = (name: string): string => name.charAt(0).toUpperCase() + name.slice(1);

/** Looks up a field that can follow any open one. Fields named like a Go method end with `_`, such as `Size_`. */
function fieldOf(shape: JsonObject, open: ReadonlySet<string>, given: string): Field {
  const plain = given.replace(/_$/, '');
  const name = [...open].find((each) => goName(each) === plain) ?? plain;
  const next = [...open].filter((each) => each !== name).map((each) => `${goName(each)}_?:`);
  return { name, form: shape[name], end: new RegExp(`,(?:${[...next, '\\}'].join('|')})`, 'g') };
}

/** Bytes such as `[104 105]`, or a text that Mockri stores as bytes. */
function bytesOf(text: string): string {
  const bytes = /^\[[\d ]*\]$/.test(text) ? Buffer.from(partsOf(text).map(Number)) : Buffer.from(text);
  return bytes.toString('base64');
}

const partsOf = (text: string): string[] =>
  text
    .slice(1, -1)
    .split(' ')
    .filter((part) => part !== '');

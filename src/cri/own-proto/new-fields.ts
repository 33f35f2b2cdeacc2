import { camelCase } from '../field-name.js';
import type { ProtoChanges } from './changes.js';
import { Extra, type Lookup } from './extend.js';
import type { ProtoFiles } from './read.js';

/** Values in protobuf's JSON form by path, such as `request.config.ulimits`, in the words of the user's file. */
export type NewFields = Readonly<Record<string, unknown>>;

/** Fields of one call or object. */
const MOST_FIELDS = 20;
/** Characters of a value; a longer one is cut and becomes a text. */
const MOST_TEXT = 1000;

interface Step {
  readonly name: string;
  readonly key: string;
  /** Of a new field, and of a known one whose enum has new values. */
  readonly extra: Extra | undefined;
  /** The enum's numbers in the shipped file. */
  readonly shipped: ReadonlySet<unknown>;
  /** Of a known field: the message that it contains. */
  readonly type: string;
}

/** Finds the fields of messages that the shipped api.proto lacks. */
export class NewFieldFinder {
  readonly #own: ProtoFiles;
  readonly #shipped: ProtoFiles;
  readonly #changes: ProtoChanges;
  readonly #lookup: Lookup;
  /** Steps to new fields by message. A message without any has none. */
  readonly #steps = new Map<string, readonly Step[]>();

  constructor(own: ProtoFiles, shipped: ProtoFiles, changes: ProtoChanges, lookup: Lookup) {
    this.#own = own;
    this.#shipped = shipped;
    this.#changes = changes;
    this.#lookup = lookup;
  }

  /** Whether a message, or one within it, has new fields at all. */
  has(type: string): boolean {
    return this.#stepsOf(type).length > 0;
  }

  /** Adds the new fields of a message that are set to `found`; `path` is where the message is. */
  find(type: string, message: object, path: string, found: Record<string, unknown>): void {
    for (const { name, key, extra, shipped, type: inner } of this.#stepsOf(type)) {
      if (Object.keys(found).length >= MOST_FIELDS) return;
      const value = (message as Readonly<Record<string, unknown>>)[key];
      const at = `${path}.${name}`;
      if (extra !== undefined) {
        const isShipped = shipped.size > 0 && [value].flat().every((each) => shipped.has(each));
        if (!isShipped && !extra.isDefault(value)) found[at] = short(extra.toJson(value));
      } else if (Array.isArray(value))
        for (const [index, each] of value.entries()) this.find(inner, each, `${at}[${index}]`, found);
      else if (value !== undefined && value !== null) this.find(inner, value, at, found);
    }
  }

  /** Only shipped fields are followed, and no shipped message contains itself. */
  #stepsOf(type: string): readonly Step[] {
    const known = this.#steps.get(type);
    if (known !== undefined) return known;
    const added = this.#changes.fields.get(type) ?? [];
    const steps = (this.#own.messages.get(type) ?? []).flatMap((field): Step[] => {
      const { name, mapKey, type: inner } = field;
      const step = { name, key: camelCase(name), type: inner };
      const isNew = added.includes(field);
      if (isNew || this.#changes.enums.has(inner)) {
        const values = isNew ? [] : (this.#shipped.enums.get(inner)?.values() ?? []);
        return [{ ...step, extra: new Extra(field, this.#lookup), shipped: new Set(values) }];
      }
      const leads = mapKey === undefined && this.#stepsOf(inner).length > 0;
      return leads ? [{ ...step, extra: undefined, shipped: new Set() }] : [];
    });
    this.#steps.set(type, steps);
    return steps;
  }
}

function short(value: unknown): unknown {
  const text = JSON.stringify(value);
  return text.length <= MOST_TEXT ? value : `${text.slice(0, MOST_TEXT)}…`;
}

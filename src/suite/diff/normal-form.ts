import { messageTypeOf } from '../../cri/messages.js';

/** JSON in normal form: equal for two runtimes that behave alike. */
export type Normal =
  | string
  | number
  | boolean
  | null
  | readonly Normal[]
  | { readonly [key: string]: Normal };

/** Names for values that differ between any two runs: ids, and names created for one run. */
export class Aliases {
  readonly #names = new Map<string, string>();
  #pattern: RegExp | undefined;

  set(text: string, name: string): void {
    if (text === '' || this.#names.has(text)) return;
    this.#names.set(text, name);
    this.#pattern = undefined;
  }

  /** The text with all known names, and placeholders for other ids, times and addresses. */
  show(text: string): string {
    this.#pattern ??= patternOf([...this.#names.keys()]);
    const named = text.replace(this.#pattern, (found) => this.#names.get(found) ?? found);
    return withPlaceholders(named, PLACEHOLDERS);
  }
}

/** Longer texts first: an id before its prefix. */
function patternOf(texts: readonly string[]): RegExp {
  const sorted = [...texts].sort((a, b) => b.length - a.length);
  return new RegExp(
    sorted.map((text) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('|') || '(?!)',
    'g',
  );
}

export type Placeholder = readonly [RegExp, string];

export const TIME: Placeholder = [/\b\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)?/g, '<time>'];
export const PID: Placeholder = [/\bpid:?[ =]\d+/gi, 'pid <pid>'];

/** Applies placeholders in this order. */
export const withPlaceholders = (text: string, placeholders: readonly Placeholder[]): string =>
  placeholders.reduce((shown, [pattern, by]) => shown.replace(pattern, by), text);

const PLACEHOLDERS: readonly Placeholder[] = [
  [/sha256:[0-9a-f]{64}/g, '<digest>'],
  [/\bhttps?:\/\/[^/\s"]+\/(\w+)\/[\w-]+/g, '<url>/$1/<token>'],
  // cri-dockerd's has no scheme.
  [/(?<![\w:])\/\/[^/\s"]+\/(?:cri\/)?(\w+)\/[\w-]+/g, '//<url>/$1/<token>'],
  [/\b[0-9a-f]{64}\b/g, '<id>'],
  TIME,
  [/\b\d{1,3}(\.\d{1,3}){3}\b/g, '<ip>'],
  PID,
  [/(\/[\w.-]+)*\/(io\.containerd\.[\w.-]+)(\/[^\s":]*)?/g, '<path>'],
];

/** Fields whose value is different each time, if it has one. */
const VALUES: readonly (readonly [RegExp, string])[] = [
  [/(^|\.)(createdAt|startedAt|finishedAt|timestamp)$/, '<time>'],
  [/(^|\.)(ip|additionalIps\[\])$/, '<ip>'],
  [/fsId\.mountpoint$/, '<path>'],
  [/(^|\.)size$/, '<n>'],
];

/** Replies with measurements: their numbers are not compared. */
export const MEASURES = /Stats$|Metrics$|^ImageFsInfo$/;

/** A reply in normal form. Sorts lists of objects: no runtime promises an order. */
export function normalReply(method: string, reply: object, aliases: Aliases): Normal {
  const json = messageTypeOf(method, 'Response').toJSON(reply);
  return normal(json, '', { aliases, measures: MEASURES.test(method) });
}

interface Rules {
  readonly aliases: Aliases;
  readonly measures: boolean;
}

function normal(value: unknown, path: string, rules: Rules): Normal {
  if (typeof value === 'string') {
    const fixed = VALUES.find(([field]) => field.test(path));
    if (fixed !== undefined) return fixed[1];
    return rules.measures && /^-?\d+$/.test(value) ? '<n>' : rules.aliases.show(value);
  }
  if (typeof value === 'number') return rules.measures ? '<n>' : value;
  if (Array.isArray(value)) return sorted(value.map((item) => normal(item, `${path}[]`, rules)));
  if (typeof value === 'object' && value !== null) return normalObject(value, path, rules);
  return value as Normal;
}

function normalObject(value: object, path: string, rules: Rules): Normal {
  const entries = Object.entries(value);
  // UInt64Value: JSON omits zero, and whether a value is still zero is a matter of time.
  if (rules.measures && entries.every(([key]) => key === 'value')) return '<n>';
  if (path === 'info') return Object.fromEntries(entries.map(([key, text]) => [key, shapeOf(String(text))]));
  return Object.fromEntries(
    entries.map(([key, part]) => [
      rules.aliases.show(key),
      normal(part, path === '' ? key : `${path}.${key}`, rules),
    ]),
  );
}

/** Verbose information has no schema: only its keys are compared. */
function shapeOf(text: string): Normal {
  if (!text.startsWith('{')) return '<text>';
  try {
    return `{${Object.keys(JSON.parse(text)).sort().join(', ')}}`;
  } catch {
    return '<no JSON>';
  }
}

const sorted = (items: readonly Normal[]): readonly Normal[] => {
  if (!items.some((item) => typeof item === 'object')) return items;
  return items
    .map((item) => [JSON.stringify(item), item] as const)
    .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
    .map(([, item]) => item);
};

export interface Renaming {
  /** Maps Unix nanoseconds of the tape to now. */
  readonly time: (nanos: bigint) => bigint;
  readonly text: (text: string) => string;
  /** The object's actual annotations; those on the tape may be redacted. */
  readonly annotations?: Readonly<Record<string, string>> | undefined;
}

/** Times in Unix nanoseconds. */
const INSTANTS = new Set(['createdAt', 'startedAt', 'finishedAt', 'timestamp']);

export function renamed<T>(value: T, renaming: Renaming): T {
  return change(value, '', renaming) as T;
}

function change(value: unknown, field: string, renaming: Renaming): unknown {
  if (typeof value === 'bigint') return INSTANTS.has(field) && value > 0n ? renaming.time(value) : value;
  if (typeof value === 'string') return renaming.text(value);
  if (Array.isArray(value)) return value.map((item) => change(item, field, renaming));
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value)) return value;
  const fields = Object.entries(value).map(([name, item]) => [name, change(item, name, renaming)] as const);
  const copy = Object.fromEntries(fields);
  return field === 'annotations' ? unredacted(copy, renaming.annotations) : copy;
}

const unredacted = (texts: Readonly<Record<string, unknown>>, given: Renaming['annotations'] = {}): object =>
  Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [
      name,
      String(text).startsWith('redacted:') ? (given[name] ?? text) : text,
    ]),
  );

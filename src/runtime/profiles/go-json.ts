/** Fields that are maps: their keys are data. */
const MAPS = new Set(['labels', 'annotations', 'sysctls', 'unified']);

/**
 * Converts a decoded message to Go's encoding/json form: names as in api.proto, enums and 64-bit integers as numbers,
 * bytes as text; empty values are omitted, but not empty messages.
 */
export const goJson = (message: object): object =>
  Object.fromEntries(
    Object.entries(message).flatMap(([name, value]) => {
      const shown = shownValue(name, value);
      return shown === undefined
        ? []
        : [[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`), shown]];
    }),
  );

function shownValue(name: string, value: unknown): unknown {
  if (value === '' || value === 0 || value === 0n || value === false || value === null) return undefined;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (Array.isArray(value)) return value.length === 0 ? undefined : value.map(shownItem);
  if (typeof value !== 'object') return value;
  if (MAPS.has(name)) return Object.keys(value).length === 0 ? undefined : value;
  return goJson(value);
}

function shownItem(item: unknown): unknown {
  if (typeof item === 'bigint') return Number(item);
  return typeof item === 'object' && item !== null && !(item instanceof Uint8Array) ? goJson(item) : item;
}

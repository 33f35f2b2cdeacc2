/** Texts quoted by Go's strconv, and key-value pairs of klog and logrus. */

const ESCAPES: Readonly<Record<string, string>> = {
  n: '\n',
  t: '\t',
  r: '\r',
  a: '\x07',
  b: '\b',
  f: '\f',
  v: '\v',
};

/** Decodes a quoted Go text, given without its quotes, to Latin-1 or Unicode characters. */
export function unquote(text: string): string {
  return text.replace(
    /\\(?:x([0-9a-f]{2})|u([0-9a-f]{4})|([0-7]{3})|(.))/gis,
    (_, hex, unicode, octal, one) => {
      if (hex !== undefined) return String.fromCharCode(Number.parseInt(hex, 16));
      if (unicode !== undefined) return String.fromCharCode(Number.parseInt(unicode, 16));
      if (octal !== undefined) return String.fromCharCode(Number.parseInt(octal, 8));
      return ESCAPES[one as string] ?? (one as string);
    },
  );
}

/** Parses `key="value" other=word list=[…]`: JSON values keep their form, quoted values lose their quotes. */
export function readPairs(text: string): Map<string, string> {
  const pairs = new Map<string, string>();
  const words = /[\w./-]+/g;
  for (let found = words.exec(text); found !== null; found = words.exec(text)) {
    const start = words.lastIndex + 1;
    if (text[start - 1] !== '=') continue;
    const end = endOfValue(text, start);
    const value = text.slice(start, end);
    pairs.set(found[0], value.startsWith('"') ? unquote(value.slice(1, -1)) : value);
    words.lastIndex = end;
  }
  return pairs;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  let isQuoted = false;
  for (let at = start; at < text.length; at++) {
    const one = text[at];
    if (isQuoted) {
      if (one === '\\') at++;
      else if (one === '"') isQuoted = false;
    } else if (one === '"') isQuoted = true;
    else if (one === '[' || one === '{') depth++;
    else if (one === ']' || one === '}') depth--;
    else if (one === ' ' && depth === 0) return at;
  }
  return text.length;
}

/** Converts a name of Go's `codes` to the CRI's: `NotFound` to `NOT_FOUND`. */
export const codeName = (name: string): string =>
  name === 'OK'
    ? name
    : name === 'Canceled'
      ? 'CANCELLED'
      : name.replace(/(?<=[a-z])(?=[A-Z])/g, '_').toUpperCase();

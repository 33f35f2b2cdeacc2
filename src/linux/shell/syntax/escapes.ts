import { byteToText } from '../text.js';

export const simpleEscapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  e: '\x1b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
};

/** Decodes an escape of `echo -e`, printf or `$'…'` after its backslash; an unknown one stays with its backslash. */
export function decodeEscape(text: string, position: number): { text: string; length: number } {
  const char = text.charAt(position);
  const simple = simpleEscapes[char];
  if (simple !== undefined) return { text: simple, length: 1 };
  const octal = /^[0-7]{1,3}/.exec(text.slice(position, position + 3))?.[0];
  if (octal) return { text: byteToText(Number.parseInt(octal, 8) & 0xff), length: octal.length };
  const hex = /^x([0-9a-fA-F]{1,2})/.exec(text.slice(position, position + 3));
  if (hex) return { text: byteToText(Number.parseInt(hex[1] as string, 16)), length: hex[0].length };
  return { text: '\\', length: 0 };
}

/** Replaces escapes; `\c` ends the output. */
export function decodeEscapes(text: string): { text: string; stopped: boolean } {
  let result = '';
  for (let at = 0; at < text.length; ) {
    const backslash = text.indexOf('\\', at);
    result += text.slice(at, backslash < 0 ? undefined : backslash);
    if (backslash < 0) break;
    at = backslash + 1;
    if (text.charAt(at) === 'c') return { text: result, stopped: true };
    // `\0101` has a zero in front of its three digits here, which `$'…'` and printf formats don't have.
    const zero = /^0[0-7]{3}/.test(text.slice(at, at + 4)) ? 1 : 0;
    const decoded = decodeEscape(text, at + zero);
    result += decoded.text;
    at += decoded.length + zero;
  }
  return { text: result, stopped: false };
}

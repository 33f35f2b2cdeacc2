import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';

// What a terminal takes as a command and not as text: C0 and C1 controls (ECMA-48) except tab and newline, and the
// characters that turn the direction of text around (Unicode TR 9).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const COMMANDS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Nobody who sends text to this process knows it. */
const SECRET = randomBytes(8).toString('hex');
/** ESC in sequences of Mockri itself. */
const OWN = `\u001b${SECRET}`;
/** A carriage return of Mockri itself. */
const OWN_RETURN = `\r${SECRET}`;

/** A control sequence that reaches the terminal: `csi('31m')` for red. */
export const csi = (sequence: string): string => `${OWN}[${sequence}`;

/** Goes back to the beginning of the line and clears it. */
export const clearedLine = (): string => `${OWN_RETURN}${csi('K')}`;

/**
 * A text as a terminal may get it: control characters that came with data, such as a pod's name or an error's text, are
 * written as `\u001b`, which in JSON is the same string. Only sequences made with `csi` and `clearedLine` stay.
 */
export function terminalText(text: string): string {
  return text
    .split(OWN_RETURN)
    .map((part) => part.split(OWN).map(escapeCommands).join('\u001b'))
    .join('\r');
}

const escapeCommands = (text: string): string =>
  text.replace(COMMANDS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** A text of data for one line: newlines and tabs are escaped too, so that it can't pretend to be other lines. */
export const oneLine = (text: string): string =>
  text.replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t'));

/** Lets only `terminalText` of what is written as strings through a stream. Bytes pass as they are. */
export function guardTerminal(stream: Writable): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? terminalText(chunk) : chunk, ...rest);
}

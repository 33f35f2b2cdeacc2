import { randomBytes } from 'node:crypto';
import type { Writable } from 'node:stream';

// Characters that a terminal interprets as commands: C0 and C1 controls (ECMA-48) except tab and newline, and
// characters that reverse the direction of text (Unicode TR 9).
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
const COMMANDS = /[\0-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]/g;

/** Senders of text to this process can't know it. */
const SECRET = randomBytes(8).toString('hex');
/** ESC in Mockri's own sequences. */
const OWN = `\u001b${SECRET}`;
const OWN_RETURN = `\r${SECRET}`;

/** A control sequence that reaches the terminal: `csi('31m')` for red. */
export const csi = (sequence: string): string => `${OWN}[${sequence}`;

export const clearedLine = (): string => `${OWN_RETURN}${csi('K')}`;

/**
 * Makes text safe for a terminal: control characters in data, such as a pod's name or an error's text, become `\u001b`,
 * which is the same string in JSON. Keeps only sequences from `csi` and `clearedLine`.
 */
export function terminalText(text: string): string {
  return text
    .split(OWN_RETURN)
    .map((part) => part.split(OWN).map(escapeCommands).join('\u001b'))
    .join('\r');
}

const escapeCommands = (text: string): string =>
  text.replace(COMMANDS, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);

/** Makes data safe for one line: also escapes newlines and tabs, so that it can't imitate other lines. */
export const oneLine = (text: string): string =>
  text.replace(/[\n\t]/g, (char) => (char === '\n' ? '\\n' : '\\t'));

/** Applies `terminalText` to all strings written to a stream. Bytes pass unchanged. */
export function guardTerminal(stream: Writable): void {
  const write = stream.write.bind(stream) as (chunk: unknown, ...rest: unknown[]) => boolean;
  stream.write = (chunk: unknown, ...rest: unknown[]) =>
    write(typeof chunk === 'string' ? terminalText(chunk) : chunk, ...rest);
}

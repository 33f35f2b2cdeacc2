import { GrowingBuffer } from '../../../base/input/growing-buffer.js';
import { signalNumber } from '../../process/signals.js';
import type { Builtin, BuiltinCall } from '../execution/builtin.js';
import { CommandError, ShellError } from '../execution/control-flow.js';
import { type Shell, waitInterruptibly, write } from '../execution/shell.js';
import { isName } from '../execution/variables.js';
import { ifsOf } from '../expansion/parameters.js';
import { type Piece, splitLine } from '../expansion/pieces.js';
import { toText } from '../text.js';

/** They read a line, or the next option of a script. */
export const readBuiltins: readonly (readonly [string, Builtin])[] = [
  ['read', { special: false, run: read }],
  ['getopts', { special: true, run: getopts }],
];

/** Limits a line, so that `read x </dev/zero` ends. */
const MAX_LINE = 1024 * 1024;

/** Memory of a byte of a line: in a growing buffer, and as text. */
const LINE_COST = 6;
/** A shell reads a byte at a time, with a system call each (dash, `readcmd`): some 4 MB a second. */
const WORK_PER_BYTE = 256;
const ESCAPE_COST = 128;

interface Line {
  /** A character after a backslash is a piece that IFS does not split. */
  readonly pieces: readonly Piece[];
  readonly complete: boolean;
}

/** `read [-r] [-p prompt] name…`: reads a line of input into variables; 1 at the end of the input. */
async function read(shell: Shell, given: readonly string[]): Promise<number> {
  const { raw, prompt, names } = parseRead(given);
  if (prompt !== undefined) await write(shell, 2, prompt);
  const result = await waitInterruptibly(shell, (signal) => readLine(shell, raw, signal));
  if ('caught' in result) return 128 + (signalNumber(result.caught) ?? 0);
  const { pieces, complete } = result.value;
  const fields = await splitLine(pieces, ifsOf(shell), names.length, async (bytes) =>
    shell.memory.hold(bytes),
  );
  for (const [index, name] of names.entries()) shell.variables.set(name, fields[index] ?? '');
  return complete ? 0 : 1;
}

function parseRead(args: readonly string[]): { raw: boolean; prompt: string | undefined; names: string[] } {
  let [raw, prompt, first]: [boolean, string | undefined, number] = [false, undefined, 0];
  for (; args[first]?.startsWith('-'); first++) {
    if (args[first] === '-r') raw = true;
    else if (args[first] === '-p') prompt = args[++first];
    else throw new ShellError(`illegal option ${args[first]}`, 2, 'read');
  }
  const names = args.slice(first);
  const bad = names.find((name) => !isName(name));
  if (bad !== undefined) throw new CommandError(`read: '${bad}': bad variable name`);
  return { raw, prompt, names: names.length > 0 ? names : ['REPLY'] };
}

/** Reads exactly one line from the shell's input, so that the next command continues there. */
export async function takeLine(shell: Shell, signal: AbortSignal): Promise<Buffer> {
  const file = shell.files.get(0);
  const line = new GrowingBuffer();
  for (;;) {
    const chunk = (await file?.read(signal)) ?? null;
    if (chunk === null) return line.bytes();
    const end = chunk.indexOf(0x0a) + 1;
    const part = end === 0 ? chunk : chunk.subarray(0, end);
    await shell.process.work(WORK_PER_BYTE * part.length);
    shell.memory.hold(LINE_COST * part.length);
    line.append(part);
    if (line.length > MAX_LINE) throw new ShellError('read error: line too long');
    if (end > 0 && end < chunk.length) file?.unread(chunk.subarray(end));
    if (end > 0) return line.bytes();
  }
}

async function readLine(shell: Shell, raw: boolean, signal: AbortSignal): Promise<Line> {
  const pieces: Piece[] = [];
  for (;;) {
    const line = toText(await takeLine(shell, signal));
    const continued = addLine(line.replace(/\n$/, ''));
    if (!continued || !line.endsWith('\n')) return { pieces, complete: line.endsWith('\n') };
  }

  /** True if a backslash at the end continues the line. */
  function addLine(line: string): boolean {
    for (let at = 0; ; ) {
      const backslash = raw ? -1 : line.indexOf('\\', at);
      const text = line.slice(at, backslash < 0 ? undefined : backslash);
      const char = backslash < 0 ? '' : line.charAt(backslash + 1);
      const before = pieces.at(-1)?.split === true ? (pieces.pop()?.text ?? '') : '';
      if (before + text !== '') pieces.push({ text: before + text, quoted: false, split: true });
      if (backslash < 0 || char === '') return backslash >= 0;
      shell.memory.hold(ESCAPE_COST);
      pieces.push({ text: char, quoted: true, split: false });
      at = backslash + 2;
    }
  }
}

/** `getopts optstring name [arg…]`: the next option of the arguments; 1 when there are no more. */
async function getopts(shell: Shell, args: readonly string[], _: BuiltinCall): Promise<number> {
  const [letters, name, ...given] = args;
  if (letters === undefined || name === undefined) throw new ShellError('usage: getopts optstring var [arg]');
  const words = given.length > 0 ? given : shell.positional;
  const position = Number(shell.variables.get('OPTIND') ?? '1');
  // Inside of `-abc`, OPTIND stays; a separate variable has the position in the word, which dash does not show.
  const offset = Number(shell.variables.get('_OPTOFF') ?? '1') || 1;
  const word = words[position - 1];
  if (word === undefined || !/^-./.test(word) || (word === '--' && offset === 1)) {
    if (word === '--') shell.variables.set('OPTIND', String(position + 1));
    shell.variables.set(name, '?');
    return 1;
  }
  const letter = word.charAt(offset);
  const isLast = offset + 1 >= word.length;
  const advance = (by: number, next: number) => {
    shell.variables.set('OPTIND', String(position + by));
    shell.variables.set('_OPTOFF', String(next));
  };
  const at = letter === ':' ? -1 : letters.indexOf(letter);
  if (at < 0) {
    advance(isLast ? 1 : 0, isLast ? 1 : offset + 1);
    return badOption(shell, name, letters, letter, `Illegal option -${letter}`);
  }
  if (letters.charAt(at + 1) !== ':') {
    advance(isLast ? 1 : 0, isLast ? 1 : offset + 1);
    shell.variables.set(name, letter);
    return 0;
  }
  const value = isLast ? words[position] : word.slice(offset + 1);
  advance(isLast ? 2 : 1, 1);
  if (value === undefined) return badOption(shell, name, letters, letter, `No arg for -${letter} option`);
  shell.variables.set(name, letter);
  shell.variables.set('OPTARG', value);
  return 0;
}

/** With a leading colon, the script itself reports the error. */
async function badOption(
  shell: Shell,
  name: string,
  letters: string,
  letter: string,
  text: string,
): Promise<number> {
  const isQuiet = letters.startsWith(':');
  shell.variables.set(name, isQuiet && text.startsWith('No') ? ':' : '?');
  if (isQuiet) shell.variables.set('OPTARG', letter);
  else {
    shell.variables.unset('OPTARG');
    await write(shell, 2, `${text}\n`);
  }
  return 0;
}

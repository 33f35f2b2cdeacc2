import type { Builtin } from '../execution/builtin.js';
import { complain, type Shell, write } from '../execution/shell.js';
import { decodeEscapes } from '../syntax/escapes.js';
import { formatPrintf } from './printf.js';

/** They run in the shell itself, so they work in an image without commands. */
export const outputBuiltins: readonly (readonly [string, Builtin])[] = [
  ['echo', { special: false, run: echo }],
  ['printf', { special: false, run: printf }],
];

/** `echo [-neE] …`: as in busybox and bash, escapes only with -e. */
async function echo(shell: Shell, args: readonly string[]): Promise<number> {
  let [newline, escapes, first] = [true, false, 0];
  for (; /^-[neE]+$/.test(args[first] ?? ''); first++) {
    for (const letter of (args[first] as string).slice(1)) {
      if (letter === 'n') newline = false;
      else escapes = letter === 'e';
    }
  }
  const text = args.slice(first).join(' ');
  const { text: output, stopped } = escapes ? decodeEscapes(text) : { text, stopped: false };
  await write(shell, 1, output + (newline && !stopped ? '\n' : ''));
  return 0;
}

async function printf(shell: Shell, [format, ...args]: readonly string[]): Promise<number> {
  if (format === undefined) {
    await complain(shell, 'usage: printf FORMAT [ARGUMENT]...', 'printf');
    return 2;
  }
  const pieces = formatPrintf(format, args);
  let next = pieces.next();
  for (; !next.done; next = pieces.next()) await write(shell, 1, next.value);
  const { output, errors } = next.value;
  for (const error of errors) await write(shell, 2, `${shell.arg0}: ${error}\n`);
  await write(shell, 1, output);
  return errors.length > 0 ? 1 : 0;
}

import type { Builtin, BuiltinCall } from '../execution/builtin.js';
import { ShellError } from '../execution/control-flow.js';
import { type Shell, setPositional, write } from '../execution/shell.js';
import { isName } from '../execution/variables.js';
import { numberOf } from './control.js';

/** Variables, functions and positional parameters; `local` isn't in POSIX, but every shell has it. */
export const variableBuiltins: readonly (readonly [string, Builtin])[] = [
  ['export', { special: true, run: mark }],
  ['readonly', { special: true, run: mark }],
  ['local', { special: true, run: local }],
  ['unset', { special: true, run: unset }],
  ['shift', { special: true, run: shift }],
];

/** `export name[=value]…`, `readonly …`; without names, or with -p, it lists them. */
async function mark(shell: Shell, args: readonly string[], { name: builtin }: BuiltinCall): Promise<number> {
  const kind = builtin === 'export' ? 'exported' : 'readonly';
  const remove = args[0] === '-n';
  const names = args.filter((arg) => arg !== '-p' && arg !== '-n' && arg !== '--');
  if (names.length === 0) return listMarked(shell, builtin, kind);
  for (const arg of names) {
    const { name, value } = splitArgument(arg, builtin);
    if (value !== undefined) shell.variables.set(name, value);
    shell.variables.mark(name, { [kind]: !remove });
  }
  return 0;
}

async function listMarked(shell: Shell, builtin: string, kind: 'exported' | 'readonly'): Promise<number> {
  for (const name of shell.variables.names(kind)) {
    const value = shell.variables.get(name);
    await write(shell, 1, `${builtin} ${name}${value === undefined ? '' : `=${quoteValue(value)}`}\n`);
  }
  return 0;
}

export const quoteValue = (value: string): string => `'${value.replaceAll("'", `'"'"'`)}'`;

function local(shell: Shell, args: readonly string[], { name: builtin }: BuiltinCall): number {
  if (shell.calls === 0) throw new ShellError('not in a function', 2, 'local');
  for (const arg of args) {
    const { name, value } = splitArgument(arg, builtin);
    shell.variables.keepForScope(name);
    if (value === undefined) shell.variables.unset(name);
    else shell.variables.set(name, value);
  }
  return 0;
}

function splitArgument(arg: string, builtin: string): { name: string; value: string | undefined } {
  const at = arg.indexOf('=');
  const name = at < 0 ? arg : arg.slice(0, at);
  if (!isName(name)) throw new ShellError(`${name}: bad variable name`, 2, builtin);
  return { name, value: at < 0 ? undefined : arg.slice(at + 1) };
}

function unset(shell: Shell, args: readonly string[]): number {
  const functions = args[0] === '-f';
  for (const name of args.filter((arg) => arg !== '-f' && arg !== '-v')) {
    if (functions) forget(shell, name);
    else if (!isName(name)) throw new ShellError(`${name}: bad variable name`, 2, 'unset');
    else if (shell.variables.get(name) === undefined && args[0] !== '-v') forget(shell, name);
    else shell.variables.unset(name);
  }
  return 0;
}

function forget({ functions, memory }: Shell, name: string): void {
  memory.keep(-(functions.get(name)?.cost ?? 0));
  functions.delete(name);
}

function shift(shell: Shell, [count = '1']: readonly string[], { name }: BuiltinCall): number {
  const number = numberOf(count, name);
  if (number > shell.positional.length) return 1;
  setPositional(shell, shell.positional.slice(number));
  return 0;
}

import type { Builtin } from '../execution/builtin.js';
import { ShellError } from '../execution/control-flow.js';
import {
  isWithoutEffect,
  OPTIONS,
  type OptionName,
  optionByLetter,
  optionByName,
} from '../execution/options.js';
import { complain, type Shell, setPositional, write } from '../execution/shell.js';
import { quoteValue } from './variables.js';

export const optionBuiltins: readonly (readonly [string, Builtin])[] = [['set', { special: true, run: set }]];

/** `set [-+options] [--] [parameter…]`; alone it lists the variables. */
async function set(shell: Shell, args: readonly string[]): Promise<number> {
  if (args.length === 0) return listVariables(shell);
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === '--' || arg === '-' || !/^[-+]./.test(arg)) {
      setPositional(shell, args.slice(arg === '--' || arg === '-' ? index + 1 : index));
      return 0;
    }
    const on = arg.startsWith('-');
    for (const letter of arg.slice(1)) {
      // An argument may have millions of letters.
      await shell.process.work(1);
      if (letter === 'o' && index + 1 === args.length) await listOptions(shell, on);
      else {
        const option = letter === 'o' ? optionByName(args[++index] ?? '') : optionByLetter(letter);
        if (switchOption(shell, option, on) || isWithoutEffect(letter, shell.process.argv[0])) continue;
        if (letter !== 'o') throw new ShellError(`illegal option ${arg[0]}${letter}`, 2, 'set');
        await complain(shell, `illegal option ${arg} ${args[index]}`, 'set');
        return 1;
      }
    }
  }
  return 0;
}

function switchOption(shell: Shell, option: OptionName | undefined, on: boolean): boolean {
  if (option === undefined) return false;
  if (on) shell.options.add(option);
  else shell.options.delete(option);
  return true;
}

async function listOptions(shell: Shell, readable: boolean): Promise<void> {
  for (const [name] of OPTIONS) {
    const on = shell.options.has(name);
    await write(
      shell,
      1,
      readable ? `${name.padEnd(16)}${on ? 'on' : 'off'}\n` : `set ${on ? '-' : '+'}o ${name}\n`,
    );
  }
}

async function listVariables(shell: Shell): Promise<number> {
  for (const name of shell.variables.names()) {
    await write(shell, 1, `${name}=${quoteValue(shell.variables.get(name) ?? '')}\n`);
  }
  return 0;
}

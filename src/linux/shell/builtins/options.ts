import type { Builtin } from '../execution/builtin.js';
import { ShellError } from '../execution/control-flow.js';
import { OPTIONS, type OptionName, optionByLetter, optionByName } from '../execution/options.js';
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
    if (arg.slice(1) !== 'o') await setLetters(shell, arg, on);
    else if (index + 1 === args.length) return listOptions(shell, on);
    else if (!setNamed(shell, args[++index] as string, on)) {
      await complain(shell, `illegal option ${arg} ${args[index]}`, 'set');
      return 1;
    }
  }
  return 0;
}

async function setLetters(shell: Shell, arg: string, on: boolean): Promise<void> {
  for (const letter of arg.slice(1)) {
    const option = optionByLetter(letter);
    if (option === undefined) throw new ShellError(`illegal option ${arg[0]}${letter}`, 2, 'set');
    switchOption(shell, option, on);
    // There may be millions.
    await shell.process.work(1);
  }
}

function setNamed(shell: Shell, name: string, on: boolean): boolean {
  const option = optionByName(name);
  if (option !== undefined) switchOption(shell, option, on);
  return option !== undefined;
}

function switchOption(shell: Shell, option: OptionName, on: boolean): void {
  if (on) shell.options.add(option);
  else shell.options.delete(option);
}

async function listOptions(shell: Shell, readable: boolean): Promise<number> {
  for (const [name] of OPTIONS) {
    const on = shell.options.has(name);
    await write(
      shell,
      1,
      readable ? `${name.padEnd(16)}${on ? 'on' : 'off'}\n` : `set ${on ? '-' : '+'}o ${name}\n`,
    );
  }
  return 0;
}

async function listVariables(shell: Shell): Promise<number> {
  for (const name of shell.variables.names()) {
    await write(shell, 1, `${name}=${quoteValue(shell.variables.get(name) ?? '')}\n`);
  }
  return 0;
}

import type { Process } from '../../process/process.js';
import { isWithoutEffect, type OptionName, optionByLetter, optionByName } from './options.js';

export interface Invocation {
  readonly arg0: string;
  readonly positional: readonly string[];
  readonly options: ReadonlySet<OptionName>;
  readonly source:
    | { readonly kind: 'text'; readonly text: string }
    | { readonly kind: 'file'; readonly path: string }
    | { readonly kind: 'stdin' };
  readonly error: string | undefined;
}

/** `sh [-eux…] [-o option] [-c commands [name [arg…]] | script [arg…] | -s [arg…]]` */
export function parseInvocation({ argv, stdin, tty }: Process): Invocation {
  const [arg0 = 'sh', ...args] = argv;
  const options = new Set<OptionName>(arg0.startsWith('-') ? ['login'] : []);
  const { rest, error } = takeOptions(args, options, arg0);
  const base = { arg0, options, error };
  const [first, ...others] = rest;
  if (options.has('command')) {
    const missing = first === undefined ? '-c requires an argument' : undefined;
    const source = { kind: 'text', text: first ?? '' } as const;
    return { ...base, error: error ?? missing, arg0: others[0] ?? arg0, positional: others.slice(1), source };
  }
  if (first !== undefined && !options.has('stdin')) {
    return { ...base, arg0: first, positional: others, source: { kind: 'file', path: first } };
  }
  options.add('stdin');
  if (tty !== undefined && stdin.terminal !== undefined) options.add('interactive');
  return { ...base, positional: rest, source: { kind: 'stdin' } };
}

function takeOptions(
  args: readonly string[],
  options: Set<OptionName>,
  argv0: string,
): { rest: readonly string[]; error?: string } {
  for (let index = 0; index < args.length; index++) {
    const arg = args[index] as string;
    if (arg === '--' || arg === '-') return { rest: args.slice(index + 1) };
    if (!/^[-+]./.test(arg)) return { rest: args.slice(index) };
    if (arg === '--login') options.add('login');
    for (const letter of arg.startsWith('--') ? '' : arg.slice(1)) {
      const name = letter === 'o' ? optionByName(args[++index] ?? '') : optionByLetter(letter, true);
      if (name === undefined && isWithoutEffect(letter, argv0)) continue;
      if (name === undefined) return { rest: [], error: `illegal option ${arg[0]}${letter}` };
      if (arg.startsWith('-')) options.add(name);
      else options.delete(name);
    }
  }
  return { rest: [] };
}

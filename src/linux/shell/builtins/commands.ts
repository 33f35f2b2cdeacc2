import type { Builtin, BuiltinCall } from '../execution/builtin.js';
import { type Shell, write } from '../execution/shell.js';
import { isKeyword } from '../syntax/tokens.js';

/** They look up commands; `hash` stores nothing. */
export const commandBuiltins: readonly (readonly [string, Builtin])[] = [
  ['command', { special: false, run: command }],
  ['type', { special: false, run: type }],
  ['hash', { special: false, run: () => 0 }],
];

/** `command [-v|-V] name …` */
async function command(shell: Shell, args: readonly string[], call: BuiltinCall): Promise<number> {
  const rest = args[0] === '-p' ? args.slice(1) : args;
  const [first, name] = rest;
  if (first === '-v') return describe(shell, name ?? '', call, true);
  if (first === '-V') return describe(shell, name ?? '', call, false);
  return rest.length === 0 ? 0 : call.run(rest);
}

async function type(shell: Shell, args: readonly string[], call: BuiltinCall): Promise<number> {
  let status = 0;
  for (const name of args) status = Math.max(status, await describe(shell, name, call, false));
  return status;
}

/** Describes a name, in a word or in a sentence; 127 for an unknown one. */
async function describe(
  shell: Shell,
  name: string,
  { builtins }: BuiltinCall,
  short: boolean,
): Promise<number> {
  const builtin = builtins.get(name);
  const say = async (word: string, sentence: string) => {
    await write(shell, 1, short ? `${word}\n` : `${name}${sentence}\n`);
    return 0;
  };
  if (isKeyword(name)) return say(name, ' is a shell keyword');
  if (shell.functions.has(name)) return say(name, ' is a function');
  if (builtin) return say(name, builtin.special ? ' is a special shell builtin' : ' is a shell builtin');
  const path = await findPath(shell, name);
  if (path !== undefined) return say(path, ` is ${path}`);
  if (!short) await write(shell, 1, `${name}: not found\n`);
  return 127;
}

/** The path of a program; its bare name if it can be run without a file. */
async function findPath(shell: Shell, name: string): Promise<string | undefined> {
  const { fs } = shell.process;
  const env = shell.variables.exported();
  if (name === '' || !(await shell.programs.find(name, { fs, cwd: shell.cwd, env }))) return undefined;
  if (name.includes('/')) return name;
  for (const folder of (shell.variables.get('PATH') ?? '').split(':')) {
    const path = `${folder}/${name}`;
    const isThere = await fs.stat(path).then(
      ({ kind }) => kind === 'file',
      () => false,
    );
    if (isThere) return path;
  }
  return name;
}

import { FileError } from '../../fs/file-error.js';
import type { Builtin } from '../execution/builtin.js';
import { errorText } from '../execution/files.js';
import { complain, type Shell, write } from '../execution/shell.js';
import { absolute } from '../expansion/glob.js';

export const directoryBuiltins: readonly (readonly [string, Builtin])[] = [
  ['cd', { special: false, run: cd }],
  ['pwd', { special: false, run: pwd }],
  ['umask', { special: false, run: umask }],
  ['ulimit', { special: false, run: ulimit }],
];

async function cd(shell: Shell, args: readonly string[]): Promise<number> {
  const [target = shell.variables.get('HOME') ?? '/'] = args.filter((arg) => !/^-[LPe-]$/.test(arg));
  const path = target === '-' ? (shell.variables.get('OLDPWD') ?? shell.cwd) : target;
  const full = normalize(absolute(shell.cwd, path));
  try {
    const { kind } = await shell.process.fs.stat(full);
    if (kind !== 'directory') throw new FileError('ENOTDIR');
    await shell.process.fs.readdir(full);
  } catch (error) {
    await complain(shell, `can't cd to ${path}: ${errorText(error)}`, 'cd');
    return 2;
  }
  shell.variables.set('OLDPWD', shell.cwd);
  shell.variables.set('PWD', full);
  shell.cwd = full;
  if (target === '-') await write(shell, 1, `${full}\n`);
  return 0;
}

/** Removes `.`, `..` and double slashes, as `cd -L` does. */
function normalize(path: string): string {
  const parts: string[] = [];
  for (const part of path.split('/')) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return `/${parts.join('/')}`;
}

async function pwd(shell: Shell): Promise<number> {
  await write(shell, 1, `${shell.cwd}\n`);
  return 0;
}

async function umask(shell: Shell, [mask]: readonly string[]): Promise<number> {
  if (mask === undefined) await write(shell, 1, `${shell.process.umask.toString(8).padStart(4, '0')}\n`);
  else if (mask === '-S') await write(shell, 1, `${symbolic(shell.process.umask)}\n`);
  else if (/^[0-7]{1,4}$/.test(mask)) shell.process.umask = Number.parseInt(mask, 8) & 0o777;
  else {
    await complain(shell, `illegal mode: ${mask}`, 'umask');
    return 2;
  }
  return 0;
}

function symbolic(mask: number): string {
  const allowed = (shift: number) =>
    ['r', 'w', 'x'].filter((_, bit) => (mask & ((4 >> bit) << shift)) === 0).join('');
  return `u=${allowed(6)},g=${allowed(3)},o=${allowed(0)}`;
}

/** `ulimit [-HS] [-RESOURCE] [LIMIT]`: stores values without enforcing them. */
async function ulimit(shell: Shell, args: readonly string[]): Promise<number> {
  const resource = args.find((arg) => /^-[HS]*[cdeflmnprstvw]$/.test(arg))?.at(-1) ?? 'f';
  const unknown = args.find((arg) => arg.startsWith('-') && !/^-[HS]*[cdeflmnprstvw]?$/.test(arg));
  const limit = args.find((arg) => !arg.startsWith('-'));
  if (unknown !== undefined || (limit !== undefined && !/^(\d+|unlimited)$/.test(limit))) {
    await complain(
      shell,
      unknown === undefined ? `invalid number '${limit}'` : `invalid option '${unknown}'`,
      'ulimit',
    );
    return 1;
  }
  const { limits } = shell.process;
  if (limit === undefined) await write(shell, 1, `${limits.get(resource) ?? 'unlimited'}\n`);
  else shell.process.limits = new Map(limits).set(resource, limit);
  return 0;
}

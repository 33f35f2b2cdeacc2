import type { FileStat } from '../../fs/file-stat.js';
import { ToolError } from '../kit/tool.js';

const UMASK = 0o022;
const KINDS: Readonly<Record<FileStat['kind'], string>> = {
  file: '-',
  directory: 'd',
  symlink: 'l',
  device: 'c',
  pipe: 'p',
};

/** `drwxr-xr-x`, as ls shows it. */
export function modeText({ kind, mode }: FileStat): string {
  const triple = (shift: number, special: number, letter: string) => {
    const bits = mode >> shift;
    const isSpecial = (mode & special) !== 0;
    const last = isSpecial
      ? (bits & 1) !== 0
        ? letter
        : letter.toUpperCase()
      : (bits & 1) !== 0
        ? 'x'
        : '-';
    return `${(bits & 4) !== 0 ? 'r' : '-'}${(bits & 2) !== 0 ? 'w' : '-'}${last}`;
  };
  return `${KINDS[kind]}${triple(6, 0o4000, 's')}${triple(3, 0o2000, 's')}${triple(0, 0o1000, 't')}`;
}

/** Applies a mode of chmod(1): octal, or clauses such as `u+x,go=r`. */
export function changedMode(text: string, mode: number, isDirectory: boolean): number {
  if (/^[0-7]{1,4}$/.test(text)) return Number.parseInt(text, 8);
  return text.split(',').reduce((before, clause) => applyClause(clause, before, isDirectory, text), mode);
}

const READERS: Readonly<Record<string, number>> = { r: 0o444, w: 0o222, x: 0o111, s: 0o6000, t: 0o1000 };
const CLASSES: Readonly<Record<string, number>> = { u: 0o4700, g: 0o2070, o: 0o1007, a: 0o7777 };

function applyClause(clause: string, before: number, isDirectory: boolean, text: string): number {
  const match = /^([ugoa]*)((?:[-+=][rwxXstugo]*)+)$/.exec(clause);
  if (!match) throw new ToolError(`invalid mode '${text}'`);
  const [, who = '', actions = ''] = match;
  const classes = [...(who || 'a')].reduce((sum, letter) => sum | (CLASSES[letter] ?? 0), 0);
  const reach = who === '' ? classes & ~UMASK : classes;
  let mode = before;
  for (const [, operator = '', letters = ''] of actions.matchAll(/([-+=])([rwxXstugo]*)/g)) {
    const bits = [...letters].reduce((sum, letter) => sum | bitsOf(letter, mode, isDirectory), 0) & reach;
    if (operator === '+') mode |= bits;
    else if (operator === '-') mode &= ~bits;
    else mode = (mode & ~(classes & 0o777)) | bits;
  }
  return mode;
}

function bitsOf(letter: string, mode: number, isDirectory: boolean): number {
  if (letter === 'X') return isDirectory || (mode & 0o111) !== 0 ? 0o111 : 0;
  const shift = { u: 6, g: 3, o: 0 }[letter];
  if (shift === undefined) return READERS[letter] ?? 0;
  const bits = (mode >> shift) & 7;
  return (bits << 6) | (bits << 3) | bits;
}

import { globMatches } from '../../../base/input/glob.js';
import { accounts } from '../../accounts.js';
import type { FileStat } from '../../fs/file-stat.js';
import { type Tool, ToolError } from '../kit/tool.js';

export interface Visit {
  readonly path: string;
  readonly stat: FileStat;
  readonly depth: number;
  /** Set by -prune: skips the entries below. */
  isPruned: boolean;
}

export type Test = (visit: Visit) => Promise<boolean> | boolean;

const KINDS: Readonly<Record<string, FileStat['kind']>> = {
  f: 'file',
  d: 'directory',
  l: 'symlink',
  c: 'device',
  b: 'device',
  p: 'pipe',
};
const UNITS: Readonly<Record<string, number>> = {
  '': 512,
  b: 512,
  c: 1,
  w: 2,
  k: 1024,
  M: 1024 ** 2,
  G: 1024 ** 3,
};
/** The unit of -mtime, in nanoseconds. */
export const DAY = 86_400_000_000_000n;
/** The unit of -mmin, in nanoseconds. */
export const MINUTE = 60_000_000_000n;

export function named(pattern: string, ignoresCase: boolean, of: (visit: Visit) => string): Test {
  const fold = (text: string) => (ignoresCase ? text.toLowerCase() : text);
  return (visit) => globMatches(fold(pattern), fold(of(visit)));
}

export function typed(letters: string): Test {
  const kinds = letters.split(',').map((letter) => KINDS[letter]);
  if (kinds.includes(undefined)) throw new ToolError(`invalid argument '${letters}' to '-type'`);
  return ({ stat }) => kinds.includes(stat.kind);
}

export function sized(text: string): Test {
  const match = /^([-+]?)(\d+)([bcwkMG]?)$/.exec(text);
  if (!match) throw new ToolError(`invalid number '${text}'`);
  const [, sign = '', digits, unit = ''] = match;
  return ({ stat: { size } }) => compared(sign, Math.ceil(size / (UNITS[unit] ?? 1)), Number(digits));
}

/** `-mtime` and `-mmin`: the age in units at the start of the command. */
export function aged({ process }: Tool, text: string, unit: bigint): Test {
  const match = /^([-+]?)(\d+)$/.exec(text);
  if (!match) throw new ToolError(`invalid number '${text}'`);
  const now = process.clock.now();
  return ({ stat }) => compared(match[1] ?? '', Number((now - stat.modifiedAt) / unit), Number(match[2]));
}

export function newer({ process }: Tool, path: string): Test {
  const reference = process.fs.stat(path);
  reference.catch(() => {});
  return async ({ stat }) => stat.modifiedAt > (await reference).modifiedAt;
}

export const empty =
  ({ process }: Tool): Test =>
  async ({ path, stat }) => {
    if (stat.kind === 'file') return stat.size === 0;
    return stat.kind === 'directory' && (await process.fs.readdir(path)).length === 0;
  };

export function permitted(text: string): Test {
  const match = /^([-/]?)([0-7]+)$/.exec(text);
  if (!match) throw new ToolError(`invalid mode '${text}'`);
  const bits = Number.parseInt(match[2] ?? '', 8);
  if (match[1] === '-') return ({ stat }) => (stat.mode & bits) === bits;
  if (match[1] === '/') return ({ stat }) => bits === 0 || (stat.mode & bits) !== 0;
  return ({ stat }) => stat.mode === bits;
}

export function owned(text: string): Test {
  const uid = /^\d+$/.test(text) ? Number(text) : accounts.find(({ name }) => name === text)?.uid;
  if (uid === undefined) throw new ToolError(`unknown user ${text}`);
  return ({ stat }) => stat.uid === uid;
}

const compared = (sign: string, value: number, wanted: number): boolean =>
  sign === '+' ? value > wanted : sign === '-' ? value < wanted : value === wanted;

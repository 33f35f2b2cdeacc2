import type { FileStat, FileUser } from './file-stat.js';

export type Wish = 'read' | 'write' | 'execute';

const BITS: Readonly<Record<Wish, number>> = { read: 4, write: 2, execute: 1 };

/** Whether the mode bits allow the access; root may do anything but execute a file without any execute bit. */
export function mayAccess(stat: FileStat, { user: { uid, groups } }: FileUser, wish: Wish): boolean {
  if (uid === 0) return wish !== 'execute' || stat.kind === 'directory' || (stat.mode & 0o111) !== 0;
  const shift = stat.uid === uid ? 6 : groups.includes(stat.gid) ? 3 : 0;
  return ((stat.mode >> shift) & BITS[wish]) !== 0;
}

const STICKY = 0o1000;

export const mayRemove = (dir: FileStat, entry: FileStat, { user: { uid } }: FileUser): boolean =>
  uid === 0 || (dir.mode & STICKY) === 0 || dir.uid === uid || entry.uid === uid;

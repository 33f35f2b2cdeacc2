import { lstatSync, type Stats } from 'node:fs';
import type { DeviceNode } from './edits.js';

export interface FullNode extends DeviceNode {
  readonly type: 'b' | 'c' | 'u' | 'p';
  readonly major: number;
  readonly minor: number;
}

/** Fills in the fields that the file leaves to the host. A missing node becomes a character device without numbers. */
export function fullNode(node: DeviceNode): FullNode {
  const { path, hostPath, major = 0, minor = 0, type = '', fileMode } = node;
  const found = lookAt(hostPath || path);
  const kind = found?.isBlockDevice() ? 'b' : found?.isCharacterDevice() ? 'c' : found?.isFIFO() ? 'p' : '';
  if (found === undefined || kind === '') return { ...node, type: type || 'c', major, minor };
  const mode = fileMode ?? found.mode & 0o7777;
  if (type !== '' && (major !== 0 || type === 'p')) return { ...node, type, major, minor, fileMode: mode };
  return { ...node, type: type || kind, ...numbersOf(found.rdev), fileMode: mode };
}

/** Undefined for a missing or unreadable path. */
function lookAt(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

/** Linux' encoding of device numbers (makedev(3)). */
const numbersOf = (device: number) => ({
  major: (device >> 8) & 0xfff,
  minor: (device & 0xff) | ((device >> 12) & 0xfff00),
});

import { newestApiLevel } from '../../cri/api-level.js';
import { ownProto } from '../../cri/own-proto/own-proto.js';

/** How the file of `--proto` differs from the shipped one, for the start of a command. */
export function protoNotes(): string[] {
  if (ownProto === undefined) return [];
  const { path, changes } = ownProto;
  if (changes.lines.length === 0) return [`${path} has the messages of CRI ${newestApiLevel}`];
  return [`${path} differs from CRI ${newestApiLevel}:`, ...changes.lines.map((line) => `  ${line}`)];
}

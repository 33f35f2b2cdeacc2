import { newestApiLevel } from '../../cri/api-level.js';

export const PROTO_HELP = 'your own runtime.v1: a .proto file, a directory, or a checkout of Kubernetes';

/** How the file of `--proto` differs from the shipped one. Loads the API's messages, which most commands do anyway. */
export async function protoNotes(): Promise<string[]> {
  const { ownProto } = await import('../../cri/own-proto/own-proto.js');
  if (ownProto === undefined) return [];
  const { path, changes } = ownProto;
  if (changes.lines.length === 0) return [`${path} has the messages of CRI ${newestApiLevel}`];
  return [`${path} differs from CRI ${newestApiLevel}:`, ...changes.lines.map((line) => `  ${line}`)];
}

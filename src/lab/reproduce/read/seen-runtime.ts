import { profileOfNode } from '../../../runtime/profiles/of-node.js';
import type { SeenRuntime } from '../seen.js';

/** The runtime as a node names it; nothing for one without a profile. */
export function seenRuntime(text: string): SeenRuntime[] {
  const runtime = profileOfNode(text);
  return runtime === undefined ? [] : [{ what: 'runtime', runtime }];
}

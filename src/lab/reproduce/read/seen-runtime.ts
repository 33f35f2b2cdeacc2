import { profileOfNode } from '../../../runtime/profiles/of-node.js';
import type { SeenRuntime } from '../facts.js';

/** Reads the runtime in a node's notation; empty if it has no profile. */
export function seenRuntime(text: string): SeenRuntime[] {
  const runtime = profileOfNode(text);
  return runtime === undefined ? [] : [{ what: 'runtime', runtime }];
}

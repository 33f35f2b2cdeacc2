import { createTapeRecorder, type Recorded, type TapeRecorder } from '../runtime/assembly/tape-recorder.js';
import type { About } from '../tape/header.js';
import type { NodeTapes } from '../tape/node-tapes.js';
import type { ClusterNode } from './node/cluster-node.js';

export interface NodeRecordingOptions {
  readonly tapes: NodeTapes;
  readonly nodes: ReadonlyMap<string, ClusterNode>;
  readonly about: About;
  /** Called when a recording ends before it is stopped, for example on a full disk. */
  readonly onFailure: (message: string) => void;
}

export interface NodeRecording {
  readonly recorder: TapeRecorder;
  partOf(nodes: readonly ClusterNode[]): Recorded;
}

export function recordNodes({ tapes, nodes, about, onFailure }: NodeRecordingOptions): NodeRecording {
  const partOf = (chosen: readonly ClusterNode[]): Recorded => {
    const names = new Set(chosen.map(({ name }) => name));
    return {
      tape: tapes.among((node) => names.has(node)),
      runtimes: chosen.map(({ name: node, tape, service, runtime }) => ({
        node,
        tape,
        origin: { service, runtime },
      })),
    };
  };
  return { recorder: createTapeRecorder({ ...partOf([...nodes.values()]), about, onFailure }), partOf };
}

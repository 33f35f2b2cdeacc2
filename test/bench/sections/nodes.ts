import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { Section } from '../context.js';

/** Output of `node-memory.mjs`, in KiB. */
interface Measured {
  readonly perNode: number;
  readonly perPod: number;
}

/** Memory of a `mockri node` process for each node and pod, in use after a collection. */
export const nodes: Section = {
  name: 'nodes',
  title: 'Nodes of a cluster: memory of 20 nodes with 50 pods each',
  run: async () => {
    const program = new URL('../node-memory.mjs', import.meta.url).pathname;
    const { stdout } = await promisify(execFile)(process.execPath, ['--expose-gc', program, '20', '50']);
    const { perNode, perPod } = JSON.parse(stdout) as Measured;
    return [
      { name: 'a node without pods', value: perNode / 1024, unit: 'MiB', aim: { below: 1.5 } },
      { name: 'a pod', value: perPod, unit: 'KiB', aim: { below: 30 } },
    ];
  },
};

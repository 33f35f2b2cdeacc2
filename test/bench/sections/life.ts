import type { Section } from '../context.js';
import { script, startNode } from '../support/child.js';
import { IMAGE } from '../support/pods.js';

/** Pod lifecycles per second of a server, with a client in another process. */
export async function livesPerSecond(socket: string, count: number): Promise<number> {
  return Number((await startNode(script('worker.ts', 'lifecycles', socket, String(count), '16'))).firstLine);
}

/** RunPodSandbox, CreateContainer, StartContainer, StopContainer, RemoveContainer, StopPodSandbox, RemovePodSandbox. */
export const life: Section = {
  name: 'life',
  title: 'Whole pod lifecycles of seven RPCs, 16 in parallel',
  async run({ servers }) {
    const { cri, socket } = await servers.real();
    await cri.pullImage({ image: { image: IMAGE } });
    await livesPerSecond(socket, 500);
    const perSecond = await livesPerSecond(socket, 3000);
    await servers.stopAll();
    return [
      { name: 'pod lifecycles', value: perSecond, unit: 'pods/s' },
      { name: 'as RPCs', value: 7 * perSecond, unit: 'calls/s' },
    ];
  },
};

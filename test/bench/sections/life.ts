import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateContainerResponse, RunPodSandboxResponse } from '../../../src/cri/gen/runtime/v1/api.js';
import type { Prepared } from '../bare.js';
import type { Section } from '../context.js';
import { script, startNode } from '../support/child.js';
import { IMAGE } from '../support/pods.js';
import { costsOf } from '../support/processor.js';
import type { Target } from '../support/servers.js';

/** Pod lifecycles per second of a server, with a client in another process. */
export async function livesPerSecond(socket: string, count: number): Promise<number> {
  return Number((await startNode(script('worker.ts', 'lifecycles', socket, String(count), '16'))).firstLine);
}

const LIVES = 1000;
const ID = '0123456789abcdef'.repeat(4);

/** The seven calls of a life and the number of events that each causes. */
export const EVENTS_OF = {
  RunPodSandbox: 2,
  CreateContainer: 1,
  StartContainer: 1,
  StopContainer: 1,
  RemoveContainer: 1,
  StopPodSandbox: 1,
  RemovePodSandbox: 1,
} as const;

export const pathOf = (method: string): string => `/runtime.v1.RuntimeService/${method}`;

/** What a runtime that does nothing replies to the calls of a life. */
export function preparedLife(): Prepared['replies'] {
  const replies: Record<keyof typeof EVENTS_OF, Uint8Array> = {
    RunPodSandbox: RunPodSandboxResponse.encode({ podSandboxId: ID }).finish(),
    CreateContainer: CreateContainerResponse.encode({ containerId: ID }).finish(),
    StartContainer: Buffer.alloc(0),
    StopContainer: Buffer.alloc(0),
    RemoveContainer: Buffer.alloc(0),
    StopPodSandbox: Buffer.alloc(0),
    RemovePodSandbox: Buffer.alloc(0),
  };
  return Object.fromEntries(
    Object.entries(replies).map(([method, reply]) => [pathOf(method), Buffer.from(reply).toString('base64')]),
  );
}

/** RunPodSandbox, CreateContainer, StartContainer, StopContainer, RemoveContainer, StopPodSandbox, RemovePodSandbox. */
export const life: Section = {
  name: 'life',
  title: `Processor time of servers for whole pod lifecycles of seven RPCs, 16 in parallel`,
  async run({ servers }) {
    const directory = await mkdtemp(join(tmpdir(), 'mockri-bench-life-'));
    const bare = await servers.bare({ replies: preparedLife() });
    const plain = await servers.real();
    const recording = await servers.real('--record', join(directory, 'run.tape.gz'));
    const extended = await servers.real('--proto', 'proto/runtime/v1/api.proto');
    for (const { cri } of [plain, recording, extended]) await cri.pullImage({ image: { image: IMAGE } });
    const perSecond = await livesPerSecond(plain.socket, LIVES);
    const worker = ({ child, socket }: Target) => ({
      process: child.process,
      work: () => livesPerSecond(socket, LIVES),
    });
    for (const { socket } of [bare, recording, extended]) await livesPerSecond(socket, LIVES);
    const costs = await costsOf({
      bare: worker(bare),
      plain: worker(plain),
      recording: worker(recording),
      extended: worker(extended),
    });
    await servers.stopAll();
    await rm(directory, { recursive: true });
    return [
      { name: 'pod lifecycles', value: perSecond, unit: 'pods/s' },
      { name: 'a life, bare server', value: costs.bare.cost / LIVES, unit: 'µs' },
      { name: 'a life', value: costs.plain.cost / LIVES, unit: 'µs' },
      { name: '  relative to the bare server', value: costs.plain.ratio, unit: '', aim: { below: 2 } },
      { name: 'a life with --record', value: costs.recording.cost / LIVES, unit: 'µs' },
      {
        name: '  relative to one without',
        value: costs.recording.ratio / costs.plain.ratio,
        unit: '',
        aim: { below: 1.15 },
      },
      {
        name: 'a life with --proto (the shipped api.proto), relative to one without',
        value: costs.extended.ratio / costs.plain.ratio,
        unit: '',
        aim: { below: 1.05 },
      },
    ];
  },
};

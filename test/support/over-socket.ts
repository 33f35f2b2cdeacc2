import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connectCri } from '../../src/cri/client.js';
import type { CriCalls } from '../../src/cri/in-process-client.js';
import type { SimulationOptions } from '../../src/scenario/simulation.js';
import { startServer } from '../../src/server/server.js';

/** Connects a simulation's kubelet to its runtime through a real unix socket; `close` ends both sides. */
export async function overSocket(): Promise<{
  readonly connect: NonNullable<SimulationOptions['connect']>;
  close(): Promise<void>;
}> {
  const directory = await mkdtemp(join(tmpdir(), 'mockri-simulation-'));
  const closers: (() => Promise<void> | void)[] = [];
  return {
    connect: async (service, clock) => {
      const server = await startServer({ service, clock, listen: `unix://${join(directory, 'cri.sock')}` });
      const client = connectCri(server.endpoint, { clock });
      await client.waitForReady(10_000);
      closers.push(client.close, () => server.close(0));
      return client as unknown as CriCalls;
    },
    close: async () => {
      for (const close of closers) await close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

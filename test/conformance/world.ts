import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../src/clock/real-clock.js';
import { faultRoutes } from '../../src/control/faults.js';
import { startControl } from '../../src/control/server.js';
import type { CriService } from '../../src/cri/service.js';
import { createRuntime, type RuntimeOptions } from '../../src/engine/runtime.js';
import { createFaults } from '../../src/faults/faults.js';
import { createPrograms } from '../../src/linux/commands/index.js';
import { createFaultHost } from '../../src/server/fault-host.js';
import { runtimeTarget } from '../../src/server/runtime-target.js';
import { startServer } from '../../src/server/server.js';
import { startStreamingServer } from '../../src/streaming/server.js';

export interface World {
  readonly endpoint: string;
  /** The URL of the control API. */
  readonly control: string;
  /** Takes the socket away and brings it back, as a server that is restarted and has kept its state. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface WorldOptions extends Pick<RuntimeOptions, 'transitions'> {
  /** Puts another service in the runtime's place. */
  readonly wrap?: (service: CriService) => CriService;
}

/** The memory backend behind a real socket, on real time, with the fault injector and its control API. */
export async function startWorld({
  wrap = (service) => service,
  ...options
}: WorldOptions = {}): Promise<World> {
  const clock = createRealClock();
  const directory = await mkdtemp(join(tmpdir(), 'mockri-world-'));
  const runtime = await createRuntime({
    ...options,
    // Given, so that they are loaded before a call's deadline runs.
    backend: createMemoryBackend({ clock, pullLatency: 1, programs: createPrograms() }),
    clock,
    streaming: (handler) => startStreamingServer({ handler, clock }),
  });
  const warn = () => {};
  const host = createFaultHost(runtimeTarget(runtime, warn), { clock, warn });
  const faults = createFaults({ service: runtime.service, host, clock });
  const listen = `unix://${join(directory, 'cri.sock')}`;
  const server = await startServer({ service: wrap(faults.service), clock, listen });
  const control = await startControl({ listen: '127.0.0.1:0', routes: faultRoutes(faults.registry) });
  return {
    endpoint: server.endpoint,
    control: control.url,
    restart: async () => {
      await server.suspend();
      await server.resume();
    },
    close: async () => {
      await Promise.all([control.close(), server.close(0)]);
      faults.close();
      await runtime.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import type { Layer } from '../../src/cri/layer.js';
import { createPrograms } from '../../src/linux/commands/index.js';
import { assemble } from '../../src/runtime/assembly/assembly.js';
import { openRuntime } from '../../src/runtime/assembly/origin.js';
import { faultRoutes } from '../../src/runtime/control/faults.js';
import { startControl } from '../../src/runtime/control/server.js';
import type { RuntimeOptions } from '../../src/runtime/engine/runtime.js';
import { startStreamingServer } from '../../src/runtime/streaming/server.js';
import { recordToFile } from '../../src/tape/file.js';
import { redactions } from '../../src/tape/keep.js';
import { createTape } from '../../src/tape/tape.js';

export interface TestEndpoint {
  readonly endpoint: string;
  /** URL of the control API. */
  readonly control: string;
  /** Removes the socket and restores it, like a restart of a server that keeps its state. */
  restart(): Promise<void>;
  /** The first half of a restart: removes the socket and ends all calls. */
  suspend(): Promise<void>;
  /** The second half. */
  resume(): Promise<void>;
  close(): Promise<void>;
}

export interface TestEndpointOptions extends Pick<RuntimeOptions, 'transitions'> {
  /** Changes the service that clients call. */
  readonly wrap?: Layer;
  /** Records the conversation into this file. */
  readonly record?: string;
}

/** The memory backend behind a real socket, in real time, with the fault injector and its control API. */
export async function startTestEndpoint({
  wrap,
  record,
  ...options
}: TestEndpointOptions = {}): Promise<TestEndpoint> {
  const clock = createRealClock();
  const directory = await mkdtemp(join(tmpdir(), 'mockri-conformance-'));
  const origin = await openRuntime({
    ...options,
    // Passed in, so that they are loaded before the deadline of a call starts.
    backend: createMemoryBackend({ clock, pullLatency: 1, programs: createPrograms() }),
    clock,
    streaming: (handler) => startStreamingServer({ handler, clock }),
  });
  const tape = createTape(clock);
  const recording =
    record === undefined
      ? undefined
      : await recordToFile({ tape, file: record, about: { recorder: 'test' }, keep: redactions });
  const assembly = assemble(origin, { clock, warn: () => {}, tape, above: wrap ? [wrap] : [] });
  const server = await assembly.serve({ listen: `unix://${join(directory, 'cri.sock')}` });
  const control = await startControl({
    listen: '127.0.0.1:0',
    routes: faultRoutes(assembly.faults.registry),
  });
  return {
    endpoint: server.endpoint,
    control: control.url,
    restart: async () => {
      await server.suspend();
      await server.resume();
    },
    suspend: () => server.suspend(),
    resume: () => server.resume(),
    close: async () => {
      await control.close();
      await assembly.close(0);
      await recording?.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
}

import { join } from 'node:path';
import { createMemoryBackend } from '../../../adapters/memory/memory-backend.js';
import { createTapeService } from '../../../adapters/tape/tape-service.js';
import { createVirtualClock, type VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { CriClient } from '../../../src/cri/client/client.js';
import { clientOf } from '../../../src/cri/client/in-process.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';
import * as api from '../../../src/cri/gen/runtime/v1/api.js';
import type { CriService } from '../../../src/cri/service.js';
import { createRuntime } from '../../../src/runtime/engine/runtime.js';
import { statusOf } from '../../../src/runtime/server/status.js';
import { recordToFile } from '../../../src/tape/file.js';
import { readHistory } from '../../../src/tape/history/exchanges.js';
import type { Redaction } from '../../../src/tape/keep.js';
import { openTape } from '../../../src/tape/read.js';
import { recordService } from '../../../src/tape/recorder.js';
import { createTape } from '../../../src/tape/tape.js';

const codeOf = (error: unknown) => statusOf(error, String).code;

export interface RecordedRun {
  readonly directory: string;
  readonly name?: string;
  readonly keep?: readonly Redaction[];
  /** Changes the runtime. */
  readonly around?: (service: CriService, clock: VirtualClock) => CriService;
}

/** For tests: records `work` on a memory runtime in virtual time; resolves with the tape's path. */
export async function recordRun(
  { directory, name = 'run.tape', keep, around = (service) => service }: RecordedRun,
  work: (cri: CriClient, clock: VirtualClock) => Promise<void>,
): Promise<string> {
  const clock = createVirtualClock();
  const runtime = await createRuntime({ backend: createMemoryBackend({ clock, place: directory }), clock });
  const tape = createTape(clock);
  const file = join(directory, name);
  const recording = await recordToFile({ tape, file, keep, about: { recorder: 'test' } });
  const service = recordService(around(runtime.service, clock), { tape, codeOf });
  let isOver = false;
  const run = clock.run(() => work(clientOf(service, { clock, codeOf }), clock));
  const end = () => {
    isOver = true;
  };
  run.then(end, end);
  await clock.runUntil(() => isOver, 3_600_000);
  await run;
  await recording.close();
  await runtime.close();
  return file;
}

export const podConfig = (name: string, more: Partial<PodSandboxConfig> = {}): PodSandboxConfig =>
  api.PodSandboxConfig.fromPartial({
    metadata: { name, namespace: 'default', uid: `uid-${name}`, attempt: 0 },
    linux: {},
    ...more,
  });

export const containerConfig = (name: string, more: Partial<api.ContainerConfig> = {}): api.ContainerConfig =>
  api.ContainerConfig.fromPartial({
    metadata: { name, attempt: 0 },
    image: { image: 'busybox:1.36' },
    command: ['sleep', '3600'],
    ...more,
  });

/** Runs a pod with one container, from its sandbox to its removal. */
export async function wholeLife(cri: CriClient, name: string): Promise<void> {
  const sandboxConfig = podConfig(name);
  await cri.pullImage({
    image: api.ImageSpec.fromPartial({ image: 'busybox:1.36' }),
    auth: undefined,
    sandboxConfig,
  });
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig, runtimeHandler: '' });
  const config = containerConfig('app');
  const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
  await cri.startContainer({ containerId });
  await cri.listContainers({ filter: undefined });
  await cri.listContainers({ filter: undefined });
  await cri.containerStatus({ containerId, verbose: false });
  await cri.stopContainer({ containerId, timeout: 1n });
  await cri.removeContainer({ containerId });
  await cri.stopPodSandbox({ podSandboxId });
  await cri.removePodSandbox({ podSandboxId });
}

export async function readAll(file: string) {
  const tape = await openTape(file);
  const entries = [];
  for await (const { entry } of tape.entries) entries.push(entry);
  return { header: tape.header, entries, isCut: tape.isCut };
}

/** For tests: serves a tape in virtual time, and returns the result of `work`. */
export async function serveRun<T>(
  file: string,
  work: (cri: CriClient, clock: VirtualClock) => Promise<T>,
  around: (tape: CriService, clock: VirtualClock) => CriService | Promise<CriService> = (tape) => tape,
): Promise<T> {
  const clock = createVirtualClock();
  const history = await readHistory(await openTape(file));
  const tape = createTapeService({ history, clock });
  const service = await around(tape.service, clock);
  let isOver = false;
  const run = clock.run(() => work(clientOf(service, { clock, codeOf }), clock));
  const end = () => {
    isOver = true;
  };
  run.then(end, end);
  await clock.runUntil(() => isOver, 3_600_000);
  tape.close();
  return run;
}

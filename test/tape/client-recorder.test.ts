import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createVirtualClock } from '../../src/base/clock/virtual-clock.js';
import { clientOf } from '../../src/cri/client/in-process.js';
import { createBreakableService } from '../../src/runtime/assembly/breakable-service.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { statusOf } from '../../src/runtime/server/status.js';
import { recordClient } from '../../src/tape/client-recorder.js';
import { recordToFile } from '../../src/tape/file.js';
import { createTape } from '../../src/tape/tape.js';
import { containerConfig, podConfig, readAll } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();

test('a client records its calls as it sees them, including those that its deadline ends', async () => {
  const clock = createVirtualClock();
  const place = directory();
  const runtime = await createRuntime({ backend: createMemoryBackend({ clock, place }), clock });
  const codeOf = (error: unknown) => statusOf(error, String).code;
  const tape = createTape(clock);
  const file = join(place, 'run.tape');
  const recording = await recordToFile({ tape, file, about: { recorder: 'test' } });
  const cri = recordClient(clientOf(runtime.service, { clock, codeOf }), tape);
  const sandboxConfig = podConfig('web');
  const config = containerConfig('app', { command: ['sh', '-c', 'trap "" TERM; sleep 3600'] });
  const work = async () => {
    await cri.pullImage({ image: config.image, sandboxConfig });
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.startContainer({ containerId });
    await cri.startContainer({ containerId }).catch(() => {});
    await cri.stopContainer({ containerId, timeout: 60n }, { timeout: 2000 }).catch(() => {});
  };
  let isOver = false;
  void clock.run(work).finally(() => {
    isOver = true;
  });
  await clock.runUntil(() => isOver, 3_600_000);
  await recording.close();
  await runtime.close();
  const { entries } = await readAll(file);
  const replies = entries.flatMap((entry) =>
    entry.kind === 'reply' ? [[entry.method, entry.code, entry.by]] : [],
  );
  expect(replies).toEqual([
    ['PullImage', 'OK', undefined],
    ['RunPodSandbox', 'OK', undefined],
    ['CreateContainer', 'OK', undefined],
    ['StartContainer', 'OK', undefined],
    ['StartContainer', 'FAILED_PRECONDITION', undefined],
    ['StopContainer', 'DEADLINE_EXCEEDED', 'deadline'],
  ]);
  const started = entries.find((entry) => entry.kind === 'call' && entry.method === 'StartContainer');
  expect(started).toMatchObject({ connection: 0, pod: { name: 'web' }, container: { name: 'app' } });
});

test('marks a call that did not reach the runtime', async () => {
  const clock = createVirtualClock();
  const runtime = await createRuntime({ backend: createMemoryBackend({ clock, place: directory() }), clock });
  const connection = createBreakableService();
  const codeOf = (error: unknown) => statusOf(error, String).code;
  const tape = createTape(clock);
  const replies: unknown[] = [];
  tape.listen({
    only: ['call', 'reply'],
    entry: (entry) => {
      if (entry.kind === 'reply') replies.push([entry.method, entry.code, entry.unreached]);
    },
  });
  const cri = recordClient(clientOf(connection.layer(runtime.service), { clock, codeOf }), tape);
  await cri.listContainers({});
  await connection.suspend();
  await expect(cri.listContainers({})).rejects.toThrow('Error while dialing');
  await connection.resume();
  await cri.listContainers({});
  await runtime.close();
  expect(replies).toEqual([
    ['ListContainers', 'OK', undefined],
    ['ListContainers', 'UNAVAILABLE', true],
    ['ListContainers', 'OK', undefined],
  ]);
});

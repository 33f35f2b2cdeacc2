import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { answerMisses } from '../../adapters/tape/on-miss.js';
import type { CallError } from '../../src/cri/client/call-error.js';
import type { CriClient } from '../../src/cri/client/client.js';
import {
  ContainerEventType,
  ContainerState,
  type PodSandboxConfig,
} from '../../src/cri/gen/runtime/v1/api.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { containerConfig, podConfig, recordRun, serveRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const record = (work: Parameters<typeof recordRun>[1]) => recordRun({ directory: directory() }, work);

const failure = (work: Promise<unknown>) =>
  work.then(
    () => 'no failure',
    (error: CallError) => `${error.codeName}: ${error.details}`,
  );

/** Makes a pod with a container that is not started. */
async function create(cri: CriClient, config: PodSandboxConfig, command: string[]) {
  const container = containerConfig('app', { command });
  await cri.pullImage({ image: container.image, sandboxConfig: config });
  const { podSandboxId } = await cri.runPodSandbox({ config });
  const { containerId } = await cri.createContainer({
    podSandboxId,
    config: container,
    sandboxConfig: config,
  });
  return { podSandboxId, containerId };
}

const stateOf = async (cri: CriClient, containerId: string) => {
  const { status } = await cri.containerStatus({ containerId });
  return String(ContainerState[status?.state ?? 0]).replace('CONTAINER_', '');
};

test('a tape answers the calls that were recorded', async () => {
  const file = await record((cri) => wholeLife(cri, 'web'));
  await serveRun(file, (cri) => wholeLife(cri, 'web'));
});

test('reads show the state after the calls so far, however often they are repeated', async () => {
  const file = await record(async (cri) => {
    const { containerId } = await create(cri, podConfig('web'), ['sleep', '3600']);
    await stateOf(cri, containerId);
    await cri.startContainer({ containerId });
    await cri.listContainers({});
    await stateOf(cri, containerId);
    await cri.stopContainer({ containerId, timeout: 0n });
    await cri.listContainers({});
    await stateOf(cri, containerId);
    await cri.removeContainer({ containerId });
    await failure(cri.containerStatus({ containerId }));
  });
  const seen = await serveRun(file, async (cri, clock) => {
    const states: string[] = [];
    const look = async (containerId: string) => {
      for (let time = 0; time < 3; time++) {
        await clock.sleep(10_000);
        const { containers } = await cri.listContainers({});
        states.push(
          `${await failure(stateOf(cri, containerId).then((state) => Promise.reject({ codeName: state })))} ${containers.length}`,
        );
      }
    };
    const { containerId } = await create(cri, podConfig('web'), ['sleep', '3600']);
    await look(containerId);
    await cri.startContainer({ containerId });
    await look(containerId.slice(0, 12));
    await cri.stopContainer({ containerId, timeout: 0n });
    await look(containerId);
    await cri.removeContainer({ containerId });
    await cri.removeContainer({ containerId });
    await look(containerId);
    return states.map((state) => state.replace(/: .*(?= \d$)/, ''));
  });
  expect(seen).toEqual(
    ['CREATED 1', 'RUNNING 1', 'EXITED 1', 'NOT_FOUND 0'].flatMap((state) => [state, state, state]),
  );
});

test('a container ends as long after its start as on the tape, with current times', async () => {
  const command = ['sh', '-c', 'sleep 5; exit 3'];
  const file = await record(async (cri, clock) => {
    const { containerId } = await create(cri, podConfig('web'), command);
    await cri.startContainer({ containerId });
    await clock.sleep(60_000);
    await cri.listContainers({});
    await stateOf(cri, containerId);
  });
  await serveRun(file, async (cri, clock) => {
    await clock.sleep(1_000_000);
    const { containerId } = await create(cri, podConfig('web'), command);
    await clock.sleep(500_000);
    const begun = clock.now();
    await cri.startContainer({ containerId });
    await clock.sleep(4_900);
    const filter = { state: { state: ContainerState.CONTAINER_EXITED } };
    expect((await cri.listContainers({ filter })).containers).toEqual([]);
    await clock.sleep(200);
    const { status } = await cri.containerStatus({ containerId });
    expect(status).toMatchObject({ exitCode: 3, finishedAt: begun + 5_000_000_000n });
    // The runtime's own times differ by some nanoseconds, so that no two are the same.
    expect(Number((status?.startedAt ?? 0n) - begun)).toBeLessThan(1000);
    expect(Number((status?.startedAt ?? 0n) - begun)).toBeGreaterThanOrEqual(0);
  });
});

test('uids, labels and annotations are those of the new pods, even where the tape is redacted', async () => {
  const config = (uid: string, note: string) => ({
    ...podConfig('web', { labels: { uid }, annotations: { note, plain: 'x' } }),
    metadata: { name: 'web', namespace: 'default', uid, attempt: 0 },
  });
  const file = await record(async (cri) => {
    const { podSandboxId } = await create(cri, config('uid-before', 'secret-before'), ['sleep', '1']);
    await cri.podSandboxStatus({ podSandboxId });
    await cri.listPodSandbox({});
  });
  await serveRun(file, async (cri) => {
    const { podSandboxId } = await create(cri, config('uid-now', 'secret-now'), ['sleep', '1']);
    const { status } = await cri.podSandboxStatus({ podSandboxId });
    expect(status).toMatchObject({
      metadata: { uid: 'uid-now' },
      labels: { uid: 'uid-now' },
      annotations: { note: 'secret-now', plain: 'x' },
    });
    const { items } = await cri.listPodSandbox({ filter: { labelSelector: { uid: 'uid-now' } } });
    expect(items).toHaveLength(1);
  });
});

test('the error of a call that was never recorded names the nearest one', async () => {
  const file = await record((cri) => wholeLife(cri, 'web'));
  await serveRun(file, async (cri) => {
    const sandboxConfig = podConfig('web');
    expect(await failure(cri.runPodSandbox({ config: podConfig('wob') }))).toMatch(
      /^FAILED_PRECONDITION: the tape has no answer to RunPodSandbox \(namespace default, name wob, attempt 0\); the nearest recorded call is in line \d+: name "web" on the tape, "wob" given$/,
    );
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    expect(await failure(cri.runPodSandbox({ config: sandboxConfig }))).toMatch(
      /no more answers to RunPodSandbox .*: it was recorded once, last in line \d+$/,
    );
    const config = { ...containerConfig('app'), metadata: { name: 'app', attempt: 1 } };
    expect(await failure(cri.createContainer({ podSandboxId, config, sandboxConfig }))).toMatch(
      /sandbox default\/web, name app, attempt 1\); .*: attempt "0" on the tape, "1" given$/,
    );
    expect(await failure(cri.updateRuntimeConfig({}))).toMatch(
      /no call of UpdateRuntimeConfig was recorded$/,
    );
    expect(await failure(cri.exec({ containerId: 'x', cmd: ['ls'], stdout: true }))).toMatch(
      /^UNIMPLEMENTED/,
    );
  });
});

test('commands are answered in their order, even redacted ones', async () => {
  const config = containerConfig('app', {
    envs: [{ key: 'TOKEN', value: Buffer.from('s3cr3t-word') }],
    command: ['sleep', '3600'],
  });
  const run = async (cri: CriClient) => {
    const sandboxConfig = podConfig('web');
    await cri.pullImage({ image: config.image, sandboxConfig });
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.startContainer({ containerId });
    const codes: number[] = [];
    for (const cmd of [
      ['ls', '/tmp/a'],
      ['touch', '/tmp/a'],
      ['ls', '/tmp/a'],
      ['ls', '/s3cr3t-word'],
    ])
      codes.push((await cri.execSync({ containerId, cmd })).exitCode);
    return codes;
  };
  let recorded: number[] = [];
  const file = await record(async (cri) => {
    recorded = await run(cri);
  });
  expect(recorded.map(Boolean)).toEqual([true, false, false, true]);
  expect(await serveRun(file, run)).toEqual(recorded);
});

test('events arrive after the calls that they followed on the tape', async () => {
  const command = ['sh', '-c', 'sleep 5'];
  const run = async (cri: CriClient, clock: { sleep(ms: number): Promise<void> }, pause: number) => {
    const events: string[] = [];
    const abort = new AbortController();
    const follow = (async () => {
      for await (const { containerEventType } of cri.getContainerEvents({}, { signal: abort.signal }))
        events.push(ContainerEventType[containerEventType].replace(/CONTAINER_|_EVENT/g, ''));
    })().catch(() => {});
    await clock.sleep(1000);
    const { containerId } = await create(cri, podConfig('web'), command);
    await clock.sleep(pause);
    events.push('start');
    await cri.startContainer({ containerId });
    await clock.sleep(4000);
    events.push('after 4 s');
    await clock.sleep(10_000);
    await cri.removeContainer({ containerId });
    await clock.sleep(1000);
    abort.abort();
    await follow;
    return events;
  };
  let recorded: string[] = [];
  const file = await record(async (cri, clock) => {
    recorded = await run(cri, clock, 1000);
  });
  expect(recorded).toEqual([
    'CREATED',
    'STARTED',
    'CREATED',
    'start',
    'STARTED',
    'after 4 s',
    'STOPPED',
    'DELETED',
  ]);
  expect(await serveRun(file, (cri, clock) => run(cri, clock, 60_000))).toEqual(recorded);
});

test('with a runtime for unrecorded calls, new pods and containers work like those of the tape', async () => {
  const file = await record(async (cri) => {
    const { containerId } = await create(cri, podConfig('web'), ['sleep', '3600']);
    await cri.startContainer({ containerId });
    await cri.listPodSandbox({});
    await cri.listContainers({});
  });
  const place = directory();
  await serveRun(
    file,
    async (cri, clock) => {
      const { podSandboxId } = await create(cri, podConfig('web'), ['sleep', '3600']);
      const other = await create(cri, podConfig('new'), ['sleep', '3600']);
      await cri.startContainer({ containerId: other.containerId });
      const config = { ...containerConfig('app'), metadata: { name: 'app', attempt: 1 } };
      const sandboxConfig = podConfig('web');
      const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
      await cri.startContainer({ containerId });
      await clock.sleep(1000);
      expect(await stateOf(cri, containerId)).toBe('RUNNING');
      const { containers } = await cri.listContainers({});
      expect(
        containers.map((each) => `${each.podSandboxId === podSandboxId} ${each.metadata?.attempt}`).sort(),
      ).toEqual(['false 0', 'true 0', 'true 1']);
      expect((await cri.listPodSandbox({})).items).toHaveLength(2);
      await cri.stopPodSandbox({ podSandboxId: other.podSandboxId });
      await cri.removePodSandbox({ podSandboxId: other.podSandboxId });
      expect((await cri.listPodSandbox({})).items).toHaveLength(1);
    },
    async (tape, clock) => {
      const runtime = await createRuntime({ backend: createMemoryBackend({ clock, place }), clock });
      return answerMisses(tape, runtime.service, clock);
    },
  );
});

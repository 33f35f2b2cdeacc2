import { expect, test } from 'vitest';
import { createMemoryBackend } from '../../adapters/memory/memory-backend.js';
import { createVirtualClock, type VirtualClock } from '../../src/base/clock/virtual-clock.js';
import type { CriClient } from '../../src/cri/client/client.js';
import { clientOf } from '../../src/cri/client/in-process.js';
import { StatusError } from '../../src/cri/errors.js';
import type { Container } from '../../src/cri/gen/runtime/v1/api.js';
import {
  ListContainersResponse,
  PodSandboxState,
  PodSandboxStatusResponse,
} from '../../src/cri/gen/runtime/v1/api.js';
import { decoded } from '../../src/cri/reply.js';
import type { CriService } from '../../src/cri/service.js';
import { Code } from '../../src/cri/status-code.js';
import { createRuntime } from '../../src/runtime/engine/runtime.js';
import { statusOf } from '../../src/runtime/server/status.js';
import { replayTape } from '../../src/suite/replay/replay.js';
import type { ReplayReport } from '../../src/suite/replay/report.js';
import { readHistory } from '../../src/tape/history/exchanges.js';
import { openTape } from '../../src/tape/read.js';
import { containerConfig, podConfig, recordRun, wholeLife } from '../support/tape/recorded-run.js';
import { useTemporaryDirectories } from '../support/temporary.js';

const directory = useTemporaryDirectories();
const record = (work: Parameters<typeof recordRun>[1]) => recordRun({ directory: directory() }, work);
const codeOf = (error: unknown) => statusOf(error, String).code;

interface Replayed {
  readonly report: ReplayReport;
  /** Virtual time that it took, in s. */
  readonly took: number;
  /** Pods that are left. */
  readonly left: number;
}

/** Replays a tape to a runtime in memory on virtual time. */
async function replay(
  file: string,
  speed: number,
  around: (service: CriService, clock: VirtualClock) => CriService = (service) => service,
): Promise<Replayed> {
  const clock = createVirtualClock();
  const runtime = await createRuntime({ backend: createMemoryBackend({ clock, place: directory() }), clock });
  const cri = clientOf(around(runtime.service, clock), { clock, codeOf });
  const history = await readHistory(await openTape(file));
  const begun = clock.elapsed();
  const { signal } = new AbortController();
  let replayed: Replayed | undefined;
  const run = clock.run(async () => {
    const report = await replayTape({ history, cri, clock, speed, directory: directory(), signal });
    const took = Math.round((clock.elapsed() - begun) / 1000);
    replayed = { report, took, left: (await cri.listPodSandbox({})).items.length };
  });
  await clock.runUntil(() => replayed !== undefined, 3_600_000);
  await run;
  await runtime.close();
  return replayed as Replayed;
}

/** Makes a pod with a container that is not started. */
async function create(cri: CriClient, command: string[]): Promise<string> {
  const sandboxConfig = podConfig('web');
  const config = containerConfig('app', { command });
  await cri.pullImage({ image: config.image, sandboxConfig });
  const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
  const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
  return containerId;
}

test('a runtime that behaves like the recorded one has no differences, despite other ids', async () => {
  const file = await record(async (cri) => {
    await wholeLife(cri, 'a');
    await wholeLife(cri, 'b');
  });
  const { report, left } = await replay(file, 1);
  expect(report.differences).toEqual([]);
  expect(report).toMatchObject({ calls: 22, same: 22, skipped: [], behind: 0 });
  expect(left).toBe(0);
});

test("a replay waits for a container's own actions, at any speed", async () => {
  const file = await record(async (cri, clock) => {
    const containerId = await create(cri, ['sh', '-c', 'sleep 20; touch /tmp/ready; sleep 10; exit 3']);
    await cri.startContainer({ containerId });
    for (let time = 0; time < 10; time++) {
      await clock.sleep(5000);
      await cri.listContainers({});
      await cri.execSync({ containerId, cmd: ['ls', '/tmp/ready'] }).catch(() => {});
    }
    await cri.containerStatus({ containerId });
  });
  const paced = await replay(file, 1);
  expect(paced.report.differences.map(({ path, reason }) => `${path} ${reason}`)).toEqual([
    'stderr redacted',
    'stdout redacted',
  ]);
  expect(paced.took).toBe(50);
  const faster = await replay(file, 5);
  expect(faster.report.differences.filter(({ reason }) => reason === undefined)).toEqual([]);
  const fastest = await replay(file, Number.POSITIVE_INFINITY);
  expect(fastest.report.differences.filter(({ reason }) => reason === undefined)).toEqual([]);
  expect(fastest.took).toBeLessThan(50);
  expect(fastest.left).toBe(0);
});

test('a replay waits for the state of each container in the status of a pod', async () => {
  const file = await record(async (cri, clock) => {
    const containerId = await create(cri, ['sh', '-c', 'sleep 20; exit 3']);
    const { podSandboxId = '' } = (await cri.listContainers({})).containers[0] ?? {};
    await cri.startContainer({ containerId });
    for (let time = 0; time < 6; time++) {
      await clock.sleep(5000);
      const { containersStatuses } = await cri.podSandboxStatus({ podSandboxId });
      expect(containersStatuses).toHaveLength(1);
    }
  });
  for (const speed of [1, 5, Number.POSITIVE_INFINITY]) {
    const { report } = await replay(file, speed);
    expect(report.differences.filter(({ reason }) => reason === undefined)).toEqual([]);
  }
});

test('another exit code in the status of a pod is a difference', async () => {
  const record = (code: number) =>
    recordRun({ directory: directory() }, async (cri, clock) => {
      const containerId = await create(cri, ['sh', '-c', `sleep 20; exit ${code}`]);
      const { podSandboxId = '' } = (await cri.listContainers({})).containers[0] ?? {};
      await cri.startContainer({ containerId });
      await clock.sleep(25_000);
      await cri.podSandboxStatus({ podSandboxId });
    });
  const { report } = await replay(await record(3), Number.POSITIVE_INFINITY, (service) => ({
    ...service,
    podSandboxStatus: async (request, call) => {
      const reply = decoded(await service.podSandboxStatus(request, call), PodSandboxStatusResponse);
      const containersStatuses = reply.containersStatuses.map((each) => ({
        ...each,
        exitCode: each.exitCode && 4,
      }));
      return { ...reply, containersStatuses };
    },
  }));
  const texts = report.differences.map(({ path, recorded, live }) => `${path}: ${recorded} / ${live}`);
  expect(texts).toEqual(['containersStatuses[].exitCode: 3 / 4']);
});

test('a replay waits for a missing state only once, not with each call', async () => {
  const file = await record(async (cri, clock) => {
    const containerId = await create(cri, ['sleep', '5']);
    await cri.startContainer({ containerId });
    for (let time = 0; time < 60; time++) {
      await clock.sleep(5000);
      await cri.listContainers({});
    }
  });
  const { report, took } = await replay(file, Number.POSITIVE_INFINITY, (service) => ({
    ...service,
    listContainers: async (request, call) => {
      const { containers } = decoded(await service.listContainers(request, call), ListContainersResponse);
      const running = containers.map((each) => ({ ...each, state: Math.min(each.state, 1) }));
      return { containers: running };
    },
  }));
  expect(report.differences).toMatchObject([
    { path: 'state', recorded: 'exited', live: 'running', times: 60 },
  ]);
  expect(took).toBeLessThan(10);
});

test('a list that overlaps a removal may have the pod or not', async () => {
  const file = await recordRun(
    {
      directory: directory(),
      around: (service, clock) => ({
        ...service,
        listPodSandbox: async (request, call) => {
          const answer = await service.listPodSandbox(request, call);
          await clock.sleep(1000);
          return answer;
        },
      }),
    },
    async (cri, clock) => {
      const { podSandboxId } = await cri.runPodSandbox({ config: podConfig('web') });
      const list = cri.listPodSandbox({});
      await clock.sleep(100);
      await cri.removePodSandbox({ podSandboxId });
      await list;
    },
  );
  const { report } = await replay(file, 1, (service, clock) => ({
    ...service,
    listPodSandbox: async (request, call) => {
      await clock.sleep(1000);
      return service.listPodSandbox(request, call);
    },
  }));
  expect(report.differences).toMatchObject([{ path: 'state', reason: 'overlap' }]);
});

test('a list of ready pods that overlaps a stop may have the pod or not', async () => {
  const ready = { state: { state: PodSandboxState.SANDBOX_READY } };
  const file = await recordRun(
    {
      directory: directory(),
      around: (service, clock) => ({
        ...service,
        stopPodSandbox: async (request, call) => {
          const answer = await service.stopPodSandbox(request, call);
          await clock.sleep(1000);
          return answer;
        },
      }),
    },
    async (cri, clock) => {
      const { podSandboxId } = await cri.runPodSandbox({ config: podConfig('web') });
      const stop = cri.stopPodSandbox({ podSandboxId });
      await clock.sleep(500);
      expect((await cri.listPodSandbox({ filter: ready })).items).toEqual([]);
      await stop;
    },
  );
  const { report } = await replay(file, 1, (service, clock) => ({
    ...service,
    stopPodSandbox: async (request, call) => {
      await clock.sleep(1000);
      return service.stopPodSandbox(request, call);
    },
  }));
  expect(report.differences).toMatchObject([{ path: 'state', reason: 'overlap' }]);
});

test('a failed start and a list without a container are differences, each reported once with its count', async () => {
  const file = await record(async (cri) => {
    const containerId = await create(cri, ['sleep', '3600']);
    await cri.listContainers({});
    await cri.listContainers({});
    await cri.startContainer({ containerId });
  });
  const { report } = await replay(file, Number.POSITIVE_INFINITY, (service) => ({
    ...service,
    listContainers: () => ({ containers: [] }),
    startContainer: () => Promise.reject(new StatusError(Code.INTERNAL, 'no runc')),
  }));
  expect(report.differences).toEqual([
    expect.objectContaining({
      method: 'ListContainers',
      path: 'state',
      recorded: 'created',
      live: 'absent',
      times: 2,
      reason: undefined,
    }),
    expect.objectContaining({
      method: 'StartContainer',
      about: 'default/web app(0)',
      recorded: 'OK',
      live: 'INTERNAL "no runc"',
      times: 1,
      reason: undefined,
    }),
  ]);
});

test('calls about objects that could not be created, and redacted commands, are skipped', async () => {
  const file = await record(async (cri) => {
    const sandboxConfig = podConfig('web');
    const config = containerConfig('app', {
      envs: [{ key: 'TOKEN', value: Buffer.from('s3cr3t-word') }],
      command: ['sleep', '3600'],
    });
    await cri.pullImage({ image: config.image, sandboxConfig });
    const { podSandboxId } = await cri.runPodSandbox({ config: sandboxConfig });
    const { containerId } = await cri.createContainer({ podSandboxId, config, sandboxConfig });
    await cri.startContainer({ containerId });
    await cri.execSync({ containerId, cmd: ['echo', 's3cr3t-word'] });
  });
  const first = await replay(file, Number.POSITIVE_INFINITY);
  expect(first.report.differences).toEqual([]);
  expect(first.report.skipped).toEqual([
    expect.objectContaining({ method: 'ExecSync', why: 'its command is redacted', times: 1 }),
  ]);
  const second = await replay(file, Number.POSITIVE_INFINITY, (service) => ({
    ...service,
    runPodSandbox: () => Promise.reject(new StatusError(Code.INTERNAL, 'full')),
  }));
  expect(second.report.skipped.map(({ method, why }) => `${method}: ${why}`)).toEqual([
    'CreateContainer: its pod could not be made',
    'StartContainer: its container could not be made',
    'ExecSync: its container could not be made',
  ]);
});

test('events are compared for each object', async () => {
  const file = await record(async (cri, clock) => {
    const abort = new AbortController();
    const follow = (async () => {
      for await (const _ of cri.getContainerEvents({}, { signal: abort.signal })) await clock.sleep(0);
    })().catch(() => {});
    await clock.sleep(1000);
    await wholeLife(cri, 'web');
    await clock.sleep(1000);
    abort.abort();
    await follow;
  });
  expect((await replay(file, 1)).report.differences).toEqual([]);
  const late = await replay(file, 1, (service, clock) => ({
    ...service,
    getContainerEvents: async function* (request, call) {
      for await (const event of service.getContainerEvents(request, call)) {
        await clock.sleep(300);
        yield event;
      }
    },
  }));
  expect(late.report.differences).toEqual([]);
  const { report } = await replay(file, 1, (service) => ({
    ...service,
    getContainerEvents: async function* () {},
  }));
  const texts = report.differences.map(
    ({ path, recorded, live, times }) => `${path}: ${recorded} / ${live}, ${times} objects`,
  );
  expect(texts).toEqual(['events: CREATED, STARTED, STOPPED, DELETED / none, 2 objects']);
});

test('an event stream that a fault closed on the tape does not block the replay', async () => {
  const file = await recordRun(
    {
      directory: directory(),
      around: (service, clock) => ({
        ...service,
        // Closed at once, as a fault rule on new streams does, or after a while, as one on open streams does.
        getContainerEvents: async function* (request, call) {
          const closing = clock.sleep(2500).then(() => undefined);
          const events = service.getContainerEvents(request, call)[Symbol.asyncIterator]();
          for (;;) {
            const next = await Promise.race([events.next(), closing]);
            if (next === undefined) throw new StatusError(Code.UNAVAILABLE, 'closed by a fault');
            if (next.done) return;
            yield next.value;
          }
        },
      }),
    },
    async (cri, clock) => {
      const follow = (async () => {
        for await (const _ of cri.getContainerEvents({})) await clock.sleep(0);
      })().catch(() => {});
      await clock.sleep(1000);
      await wholeLife(cri, 'a');
      await follow;
      await wholeLife(cri, 'b');
    },
  );
  for (const speed of [1, Number.POSITIVE_INFINITY]) {
    const { report, left } = await replay(file, speed);
    expect(report.differences).toEqual([]);
    expect(report).toMatchObject({ calls: 23, skipped: [] });
    expect(left).toBe(0);
  }
});

test('pods that remain from the recording are not those of the replay', async () => {
  const file = await record(async (cri) => {
    const containerId = await create(cri, ['sleep', '3600']);
    await cri.startContainer({ containerId });
    await cri.listContainers({});
    await cri.listPodSandbox({});
  });
  const recorded = (await readHistory(await openTape(file))).exchanges;
  const oldItems = (method: string) => {
    const reply =
      recorded.find((each) => each.method === method)?.reply?.value<Record<string, object[]>>() ?? {};
    return Object.values(reply).flat();
  };
  const { report } = await replay(file, 1, (service) => ({
    ...service,
    listContainers: async (request, call) => {
      const { containers } = decoded(await service.listContainers(request, call), ListContainersResponse);
      const old = oldItems('ListContainers').map((item) => ({ ...item, state: 2 }) as Container);
      return { containers: [...containers, ...old] };
    },
  }));
  expect(report.differences).toEqual([]);
});

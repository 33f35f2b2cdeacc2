import { expect, test } from 'vitest';
import { turn } from '../../src/base/clock/turn.js';
import { StatusError } from '../../src/cri/errors.js';
import { ContainerState } from '../../src/cri/gen/runtime/v1/api.js';
import type { ReportedKind } from '../../src/suite/diff/report.js';
import {
  after,
  ContainerEventType,
  eachEvent,
  inStatus,
  isSandboxEvent,
  onFailure,
  refuse,
  stateOf,
} from '../conformance/mutants/mutant.js';
import { useTemporaryDirectories } from '../support/temporary.js';
import { countOf, isThorough, ofAll, sampleOf } from '../support/thorough.js';
import { diffWith, type Mutate } from './rig.js';

const slow = test.runIf(isThorough);

const temporary = useTemporaryDirectories();

interface Case {
  readonly name: string;
  readonly mutate: Mutate;
  readonly shows: Partial<ReportedKind>;
  /** The most calls that are needed to show it. */
  readonly calls: number;
}

const { CONTAINER_DELETED_EVENT, CONTAINER_STOPPED_EVENT } = ContainerEventType;

const cases: readonly Case[] = [
  {
    name: 'another code for an unknown container',
    mutate: onFailure('containerStatus', (error) => {
      throw new StatusError(2, error.message);
    }),
    shows: { method: 'ContainerStatus', aspect: 'code' },
    calls: 1,
  },
  {
    name: 'another text for a container that runs already',
    mutate: onFailure('startContainer', (error) => {
      if (!error.message.includes('CONTAINER_RUNNING')) throw error;
      throw new StatusError(9, 'it runs');
    }),
    shows: { method: 'StartContainer', aspect: 'text', right: 'FAILED_PRECONDITION: it runs' },
    calls: 4,
  },
  {
    name: 'a removal that is not idempotent',
    mutate: (real) => ({
      removeContainer: async (request, call) =>
        (await stateOf(real, request.containerId)) === undefined
          ? refuse(5)
          : real.removeContainer(request, call),
    }),
    shows: { method: 'RemoveContainer', aspect: 'outcome', left: 'OK' },
    calls: 1,
  },
  {
    name: 'a running container that is not removed by force',
    mutate: (real) => ({
      removeContainer: async (request, call) =>
        (await stateOf(real, request.containerId)) === ContainerState.CONTAINER_RUNNING
          ? refuse(9)
          : real.removeContainer(request, call),
    }),
    shows: { method: 'RemoveContainer', aspect: 'outcome', right: 'FAILED_PRECONDITION: on purpose' },
    calls: 4,
  },
  {
    name: 'another exit code after a failed start',
    mutate: inStatus((status) => {
      if (status.exitCode === 128) status.exitCode = 127;
    }),
    shows: { field: 'status.exitCode', left: '128', right: '127' },
    calls: 3,
  },
  {
    name: 'a lost DELETED of a sandbox',
    mutate: eachEvent(
      (event) => !isSandboxEvent(event) || event.containerEventType !== CONTAINER_DELETED_EVENT,
    ),
    shows: { method: 'GetContainerEvents', aspect: 'events', right: 'after STOPPED: none' },
    calls: 1,
  },
  {
    name: 'a lost STOPPED of a container',
    mutate: eachEvent(
      (event) => isSandboxEvent(event) || event.containerEventType !== CONTAINER_STOPPED_EVENT,
    ),
    shows: { method: 'GetContainerEvents', aspect: 'events' },
    calls: 3,
  },
  {
    name: 'a list that ignores its state filter',
    mutate: (real) => ({
      listContainers: (request, call) =>
        real.listContainers({ filter: request.filter && { ...request.filter, state: undefined } }, call),
    }),
    shows: { method: 'ListContainers', aspect: 'reply', field: 'containers' },
    calls: 4,
  },
  {
    name: 'a field that is missing in a list',
    mutate: after('listContainers', ({ containers }) => {
      for (const container of containers) container.imageRef = '';
    }),
    shows: { method: 'ListContainers', field: 'containers[].imageRef', right: 'none' },
    calls: 3,
  },
  {
    name: 'a second RunPodSandbox of the same name that succeeds only when both come at the same time',
    mutate: (real) => {
      let last: ReturnType<typeof real.runPodSandbox> | undefined;
      return {
        runPodSandbox: (request, call) => {
          const first = last;
          const run = real
            .runPodSandbox(request, call)
            .catch((error: Error) => first ?? Promise.reject(error));
          last = run;
          void run
            .catch(() => {})
            .then(() => turn())
            .then(() => (last = undefined));
          return run;
        },
      };
    },
    shows: { method: 'RunPodSandbox', aspect: 'outcome', right: 'OK' },
    calls: 2,
  },
];

const chosen = sampleOf(cases, 1);

test.each(chosen)(
  `finds $name (${ofAll(chosen.length, cases.length, 'mutants')})`,
  async ({ mutate, shows, calls }) => {
    const { kinds, leftovers } = await diffWith(mutate, temporary(), { sequences: countOf(60, 30) });
    const found = kinds.find((kind) =>
      Object.entries(shows).every(([key, value]) => kind[key as 'left'] === value),
    );
    expect(found, JSON.stringify(kinds, null, 1)).toMatchObject({ ...shows, isShortest: true });
    expect(found?.calls, found?.steps.join('; ')).toBeLessThanOrEqual(calls);
    expect(leftovers).toEqual([]);
  },
);

slow('finds subscribers that compete', async () => {
  const gone = new Set<string>();
  const mutate = eachEvent(({ containerId, containerEventType: type }) => {
    const key = `${containerId} ${type}`;
    return !gone.has(key) && gone.add(key);
  });
  const { kinds } = await diffWith(mutate, temporary(), { sequences: 30, subscribers: true });
  expect(kinds.map(({ right }) => right)).toContain('gets other events than another one');
});

slow('a known difference is counted, and not reported', async () => {
  const mutate = inStatus((status) => {
    status.imageId = 'other';
  });
  const known = [{ method: 'ContainerStatus', field: 'status.imageId', right: '"oth*"', why: 'on purpose' }];
  const report = await diffWith(mutate, temporary(), { sequences: 30, known });
  expect(report.kinds).toEqual([]);
  expect(report.known[0]).toMatchObject({ why: 'on purpose' });
  expect(report.known[0]?.count).toBeGreaterThan(5);
});

slow('a difference by chance is not reported', async () => {
  let calls = 0;
  const mutate = after('status', (reply) => {
    if (calls++ === 0) reply.info.chance = 'once';
  });
  const { kinds, unsteady } = await diffWith(mutate, temporary(), { sequences: 30 });
  expect(kinds).toEqual([]);
  // Overlapping calls may differ by chance too.
  expect(unsteady).toBeGreaterThanOrEqual(1);
});

slow('an interruption shows what was found, without shortening it, and removes everything', async () => {
  const abort = new AbortController();
  const mutate = after('containerStatus', ({ status }) => {
    if (status) status.reason = 'changed';
  });
  const report = await diffWith(mutate, temporary(), {
    sequences: 10_000,
    signal: abort.signal,
    onProgress: ({ done }) => done >= 20 && abort.abort(new Error('interrupted')),
  });
  expect(report.sequences).toBeLessThan(100);
  expect(report.kinds[0]).toMatchObject({ field: 'status.reason', isShortest: false });
  expect(report.leftovers).toEqual([]);
});

import { describe, expect, test } from 'vitest';
import type { Clock } from '../../src/base/clock/clock.js';
import { createRealClock } from '../../src/base/clock/real-clock.js';
import type { CriService } from '../../src/cri/service.js';
import { type LoadOptions, runLoad } from '../../src/suite/load/load.js';
import { exitCodeOfLoad, type LoadReport } from '../../src/suite/load/report.js';
import { startMockri } from '../../src/testing/index.js';
import { type Decoded, decode } from '../conformance/decoded.js';
import { ContainerEventType, eachEvent } from '../conformance/mutants/mutant.js';
import { startTestEndpoint } from '../conformance/test-endpoint.js';
import { ofAll, sampleOf } from '../support/thorough.js';

/** Calls that are in progress at the same time where a mutant begins to misbehave. */
const BUSY = 3;

/** How long the load lasts, in ms. */
const DURATION = 4000;
const AMOUNTS = { seed: 1, clients: 16, pods: 40, duration: DURATION, timeout: 60_000 };
/** Calls without which it lasts longer, as on a machine that is busy with something else. */
const ENOUGH_CALLS = 3000;

interface Load {
  /** Whether many calls are in progress. */
  isBusy(): boolean;
  /** Calls that were made. */
  made(): number;
}

/** The machine's clock, except that the load also lasts until there were enough calls. */
function clockOf({ made }: Load): Clock {
  const real = createRealClock();
  const sleep: Clock['sleep'] = async (delay, signal) => {
    await real.sleep(delay, signal);
    while (delay === DURATION && made() < ENOUGH_CALLS) await real.sleep(50, signal);
  };
  return { ...real, sleep };
}

/** A service that counts the calls that are in progress. */
function counting(service: Decoded): { readonly counted: Decoded; readonly load: Load } {
  let open = 0;
  let made = 0;
  const count =
    (serve: (...given: never[]) => unknown) =>
    async (...given: never[]) => {
      open++;
      made++;
      try {
        return await serve(...given);
      } finally {
        open--;
      }
    };
  const counted = Object.fromEntries(
    Object.entries(service).map(([name, serve]) => [
      name,
      /^(get|stream)/.test(name) ? serve : count(serve as (...given: never[]) => unknown),
    ]),
  );
  return { counted: counted as unknown as Decoded, load: { isBusy: () => open >= BUSY, made: () => made } };
}

interface LoadMutant {
  readonly name: string;
  /** One of these rules must be broken. */
  readonly breaks: readonly string[];
  /** Calls that are needed to show it, at most. */
  readonly most: number;
  mutate(real: Decoded, load: Load): Partial<Decoded>;
}

const mutants: readonly LoadMutant[] = [
  {
    name: 'an event is lost',
    breaks: ['INV-29.container'],
    most: 6,
    mutate: (real, load) =>
      eachEvent(
        ({ containerEventType: type }) =>
          !(type === ContainerEventType.CONTAINER_STOPPED_EVENT && load.isBusy()),
      )(real),
  },
  {
    name: 'a container of a removed pod stays in lists',
    breaks: ['INV-06.removes-containers'],
    most: 3,
    mutate: (real, load) => {
      const leaked = new Map<string, Awaited<ReturnType<Decoded['listContainers']>>['containers']>();
      return {
        removePodSandbox: async (request, call) => {
          const { podSandboxId } = request;
          const filter = { id: '', state: undefined, podSandboxId, labelSelector: {} };
          const { containers } = await real.listContainers({ filter }, call);
          if (load.isBusy() && containers.length > 0) leaked.set(podSandboxId, containers);
          return real.removePodSandbox(request, call);
        },
        listContainers: async (request, call) => {
          const reply = await real.listContainers(request, call);
          return {
            containers: [...reply.containers, ...(leaked.get(request.filter?.podSandboxId ?? '') ?? [])],
          };
        },
      };
    },
  },
  {
    name: 'a status is that of before',
    breaks: ['INV-16.linearizable', 'INV-02.lifecycle'],
    most: 6,
    mutate: (real, load) => {
      const before = new Map<string, Awaited<ReturnType<Decoded['containerStatus']>>>();
      return {
        createContainer: async (request, call) => {
          const reply = await real.createContainer(request, call);
          const { containerId } = reply;
          before.set(containerId, await real.containerStatus({ containerId, verbose: false }, call));
          return reply;
        },
        containerStatus: async (request, call) => {
          const reply = await real.containerStatus(request, call);
          return load.isBusy() ? (before.get(request.containerId) ?? reply) : reply;
        },
      };
    },
  },
  {
    name: 'of starts at the same time, two are OK',
    breaks: ['INV-16.linearizable'],
    most: 5,
    mutate: (real, load) => ({
      startContainer: (request, call) =>
        real.startContainer(request, call).catch((error: Error) => {
          if (load.isBusy() && /running/i.test(error.message)) return {};
          throw error;
        }),
    }),
  },
];

/** A load on the memory backend with a changed service. */
async function loadOn(mutate: LoadMutant['mutate'], options: Partial<LoadOptions> = {}): Promise<LoadReport> {
  let load: Load | undefined;
  const target = await startTestEndpoint({
    wrap: (service: CriService) => {
      const made = counting(decode(service));
      load = made.load;
      return { ...made.counted, ...mutate(made.counted, made.load) };
    },
  });
  if (load === undefined) throw new Error('the endpoint wraps no service');
  try {
    return await runLoad({
      ...AMOUNTS,
      endpoint: target.endpoint,
      patience: 500,
      signal: new AbortController().signal,
      clock: clockOf(load),
      ...options,
    });
  } finally {
    await target.close();
  }
}

const chosen = sampleOf(mutants, 2);

describe(`a runtime that fails only under load is found with few calls: ${ofAll(chosen.length, mutants.length, 'mutants')}`, () => {
  test.each(chosen.map((mutant) => [mutant.name, mutant] as const))('%s', async (_, mutant) => {
    const report = await loadOn(mutant.mutate);
    const found = report.kinds.filter(({ rule }) => mutant.breaks.includes(rule));
    expect(found.map(({ rule }) => rule)).not.toEqual([]);
    const [shortest] = found.sort((a, b) => a.calls - b.calls);
    expect(shortest?.calls, shortest?.steps.join('\n')).toBeLessThanOrEqual(mutant.most);
    expect(exitCodeOfLoad(report)).toBe(1);
  });
});

test('a correct runtime passes, and nothing is left behind', async () => {
  const report = await loadOn(() => ({}), { patience: 60_000 });
  expect(report).toMatchObject({ kinds: [], known: [], left: [], unjudged: 0, filled: 40 });
  expect(exitCodeOfLoad(report)).toBe(0);
});

test('a container whose start fails in a stopped pod may be EXITED, as in containerd', async () => {
  await using mockri = await startMockri({
    profile: 'containerd-2.4',
    latency: { stopSandbox: ['20ms'], startContainer: ['5ms'] },
    referee: 'off',
  });
  const report = await runLoad({
    ...AMOUNTS,
    endpoint: mockri.endpoint,
    patience: 60_000,
    signal: new AbortController().signal,
    clock: createRealClock(),
  });
  expect(report.kinds).toEqual([]);
});

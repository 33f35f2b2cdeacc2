import { describe, expect, test } from 'vitest';
import { createVirtualClock, type VirtualClock } from '../clock/virtual-clock.js';
import { StatusError } from '../cri/errors.js';
import {
  ContainerEventResponse,
  ContainerEventType,
  ListContainersResponse,
} from '../cri/gen/runtime/v1/api.js';
import { type Call, type CriService, criMethods } from '../cri/service.js';
import type { FaultHost } from './host.js';
import { interpose } from './interpose.js';
import { FaultRegistry } from './registry.js';
import type { FaultInput } from './schema.js';
import { runTimedRules } from './timed.js';

const POD = {
  id: 'pod-1',
  name: 'web-1',
  namespace: 'default',
  uid: 'u1',
  attempt: 0,
  labels: { app: 'web' },
};
const APP = { id: 'ctr-1', sandboxId: 'pod-1', name: 'app', attempt: 0, labels: {} };

interface World {
  readonly clock: VirtualClock;
  readonly registry: FaultRegistry;
  readonly service: CriService;
  /** What reached the service, and what was done to the host. */
  readonly log: string[];
  readonly trailers: string[];
  call(signal?: AbortSignal): Call;
  /** Lets the event stream stay open behind its last event. */
  keepOpen(): void;
  /** Of the container that is listed. */
  setCreatedAt(nanos: bigint): void;
}

function world(rules: FaultInput[], events: number[] = []): World {
  const clock = createVirtualClock();
  const log: string[] = [];
  const trailers: string[] = [];
  let createdAt = 5_000_000_000n;
  let staysOpen = false;
  const registry = new FaultRegistry({
    clock,
    seed: 1,
    conditions: () => ({ runtime: true, network: true }),
  });
  registry.add(rules, 'test');
  const methods = Object.keys(criMethods).map((name) => [
    name,
    async (request: { containerId?: string; timeout?: bigint }) => {
      log.push(`${name}${request.timeout === undefined ? '' : ` ${request.timeout}`}@${clock.elapsed()}`);
      if (name === 'version')
        return { version: '0.1.0', runtimeName: 'x', runtimeVersion: '1', runtimeApiVersion: 'v1' };
      return name === 'listContainers'
        ? ListContainersResponse.fromPartial({ containers: [{ id: 'ctr-1', createdAt }] })
        : {};
    },
  ]);
  const backing = {
    ...Object.fromEntries(methods),
    async *getContainerEvents() {
      for (const createdAt of events) {
        yield ContainerEventResponse.fromPartial({
          containerId: 'ctr-1',
          containerEventType: ContainerEventType.CONTAINER_STARTED_EVENT,
          createdAt: BigInt(createdAt),
        });
      }
      if (staysOpen) await clock.idle(new Promise(() => {}));
    },
  } as unknown as CriService;
  const host: FaultHost = {
    pod: (id) => (id === POD.id ? POD : undefined),
    container: (id) => (id === APP.id ? APP : undefined),
    conditions: () => ({ runtime: true, network: true }),
    runningContainers: () => [APP],
    exitContainer: (id, { exitCode, reason }) =>
      log.push(`exit ${id} ${exitCode} ${reason}@${clock.elapsed()}`),
    overrideCondition: (type, override) =>
      log.push(`${type} ${override?.status} ${override?.reason}@${clock.elapsed()}`),
    skewClock: (by) => log.push(`skew ${by}@${clock.elapsed()}`),
    restart: async ({ downFor, state }) => void log.push(`restart ${downFor} ${state}@${clock.elapsed()}`),
    disconnectAll: (how) => log.push(`disconnect ${how}`),
  };
  const { service, effects } = interpose({ service: backing, registry, host, clock });
  runTimedRules(registry, effects, clock);
  const transport = {
    connection: 1,
    peer: 'test',
    addTrailer: (_: string, value: string) => void trailers.push(value),
    reset: (code: number) => Boolean(log.push(`rst ${code}`)),
    disconnect: (how: string) => void log.push(`break ${how}`),
  };
  return {
    clock,
    registry,
    service,
    log,
    trailers,
    keepOpen: () => {
      staysOpen = true;
    },
    setCreatedAt: (nanos) => {
      createdAt = nanos;
    },
    call: (signal = new AbortController().signal) => ({ signal, deadline: undefined, transport }),
  };
}

/** Starts a call, lets an hour pass, and tells how it ended and when. */
async function outcome(w: World, start: () => unknown): Promise<string> {
  const promise = w.clock.run(async () => start());
  const ended = promise.then(
    () => `ok@${w.clock.elapsed()}`,
    (error: unknown) =>
      error instanceof StatusError ? `${error.code} ${error.message}@${w.clock.elapsed()}` : String(error),
  );
  await w.clock.advance(3_600_000);
  return Promise.race([ended, Promise.resolve('pending')]);
}

const start = (w: World, containerId = 'ctr-1', signal?: AbortSignal) =>
  w.service.startContainer({ containerId }, w.call(signal));

async function received(w: World): Promise<string[]> {
  const seen: string[] = [];
  const reading = w.clock.run(async () => {
    for await (const message of w.service.getContainerEvents({}, w.call())) {
      const event = Buffer.isBuffer(message) ? ContainerEventResponse.decode(message) : message;
      seen.push(`${event.createdAt}@${w.clock.elapsed()}`);
    }
  });
  const end = reading.then(
    () => 'end',
    (error: unknown) => String((error as Error).message),
  );
  await w.clock.advance(3_600_000);
  return [...seen, await Promise.race([end, Promise.resolve('open')])];
}

describe('a call', () => {
  test('fails before its work', async () => {
    const w = world([
      { match: { method: 'StartContainer' }, then: { error: { code: 'UNAVAILABLE', message: 'oops' } } },
    ]);
    expect(await outcome(w, () => start(w))).toBe('14 oops@0');
    expect(w.log).toEqual([]);
    expect(w.trailers).toEqual(['error-StartContainer-1']);
  });

  test('fails after its work', async () => {
    const w = world([
      {
        match: { method: 'StartContainer' },
        then: { error: { code: 'DEADLINE_EXCEEDED', message: 'lost', effect: 'after' } },
      },
    ]);
    expect(await outcome(w, () => start(w))).toBe('4 lost@0');
    expect(w.log).toEqual(['startContainer@0']);
  });

  test('fails now, its work is done late', async () => {
    const w = world([
      {
        match: { method: 'StartContainer' },
        then: { error: { message: 'late', effect: 'late', lateBy: '3s' } },
      },
    ]);
    expect(await outcome(w, () => start(w))).toBe('2 late@0');
    expect(w.log).toEqual(['startContainer@3000']);
  });

  test('hangs, then goes on', async () => {
    const w = world([{ match: { method: 'StartContainer' }, then: { hang: { for: '5m' } } }]);
    expect(await outcome(w, () => start(w))).toBe('ok@300000');
    expect(w.log).toEqual(['startContainer@300000']);
  });

  test('hangs until the rules are reset', async () => {
    const w = world([{ match: { method: 'StartContainer' }, then: { hang: {} } }]);
    w.clock.setTimer(7000, () => w.registry.reset());
    expect(await outcome(w, () => start(w))).toBe('ok@7000');
  });

  test('that hangs ends when its client gives up, without its work', async () => {
    const w = world([{ match: { method: 'StartContainer' }, then: { hang: {} } }]);
    const client = new AbortController();
    w.clock.setTimer(1000, () => client.abort(new Error('gave up')));
    expect(await outcome(w, () => start(w, 'ctr-1', client.signal))).toBe('Error: gave up');
    expect(w.log).toEqual([]);
  });

  test('is delayed by the sum of all delays, and the first action wins', async () => {
    const w = world([
      { match: { method: '*' }, then: { delay: '1s' } },
      {
        name: 'first',
        match: { method: '@mutating' },
        then: { delay: '2s', error: { code: 'ABORTED', message: 'first' } },
      },
      { name: 'second', match: { method: 'StartContainer' }, then: { error: { code: 'INTERNAL' } } },
    ]);
    expect(await outcome(w, () => start(w))).toBe('10 first@3000');
    expect(w.registry.list().map((rule) => [rule.applied, rule.shadowed])).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  test('is matched by pod and container names, which the rule needs no ids for', async () => {
    const w = world([
      {
        match: { pod: { name: 'web-*', labels: { app: 'web' } }, container: { name: '/^app$/', attempt: 0 } },
        then: { error: {} },
      },
    ]);
    expect(await outcome(w, () => start(w))).toMatch(/^2 /);
    expect(await outcome(w, () => start(w, 'other'))).toMatch(/^ok/);
  });

  test('is matched by fields of its request', async () => {
    const w = world([{ match: { method: 'StopContainer', request: { timeout: 30 } }, then: { error: {} } }]);
    expect(
      await outcome(w, () => w.service.stopContainer({ containerId: 'x', timeout: 30n }, w.call())),
    ).toMatch(/^2 /);
    expect(
      await outcome(w, () => w.service.stopContainer({ containerId: 'x', timeout: 5n }, w.call())),
    ).toMatch(/^ok/);
  });

  test('counts: after 1, every 2nd, at most 2 times', async () => {
    const w = world([
      { match: { method: 'StartContainer' }, when: { after: 1, every: 2, times: 2 }, then: { error: {} } },
    ]);
    const ends = [];
    for (let index = 0; index < 7; index++) ends.push((await outcome(w, () => start(w))).slice(0, 2));
    expect(ends).toEqual(['ok', '2 ', 'ok', '2 ', 'ok', 'ok', 'ok']);
    expect(w.registry.list()[0]).toMatchObject({ seen: 7, matched: 7, applied: 2, left: 0 });
  });

  test('probability draws the same numbers from the same seed, whatever other rules there are', async () => {
    const ends = async (rules: FaultInput[]) => {
      const w = world(rules);
      const codes: string[] = [];
      for (let index = 0; index < 20; index++) codes.push((await outcome(w, () => start(w))).slice(0, 2));
      return codes;
    };
    const rule: FaultInput = {
      name: 'dice',
      match: { method: 'StartContainer' },
      when: { probability: 0.5 },
      then: { error: {} },
    };
    const alone = await ends([rule]);
    expect(new Set(alone)).toEqual(new Set(['ok', '2 ']));
    expect(
      await ends([
        {
          name: 'other',
          match: { method: 'StartContainer' },
          when: { probability: 0.5 },
          then: { delay: '1ms' },
        },
        rule,
      ]),
    ).toEqual(alone);
  });

  test('a reply can be patched, emptied, padded', async () => {
    const patched = world([
      {
        match: { method: 'ListContainers' },
        then: { reply: { patch: { containers: { created_at: { $divide: 1e9 } } } } },
      },
    ]);
    const reply = await patched.service.listContainers({ filter: undefined }, patched.call());
    expect(ListContainersResponse.decode(reply as Buffer).containers[0]?.createdAt).toBe(5n);
    const padded = world([{ match: { method: 'ListContainers' }, then: { reply: { pad: 100_000 } } }]);
    const long = (await padded.service.listContainers({ filter: undefined }, padded.call())) as Buffer;
    expect(long.length).toBeGreaterThan(100_000);
    expect(ListContainersResponse.decode(long).containers).toHaveLength(1);
  });

  test('the stop signal is lost: the grace passes, then the kill', async () => {
    const w = world([{ match: { container: { name: 'app' } }, then: { ignoreStop: {} } }]);
    expect(
      await outcome(w, () => w.service.stopContainer({ containerId: 'ctr-1', timeout: 30n }, w.call())),
    ).toBe('ok@30000');
    expect(w.log).toEqual(['stopContainer 0@30000']);
  });

  test.each<[string, FaultInput, string[]]>([
    ['a delay', { match: { method: 'StopContainer' }, then: { delay: '1h' } }, ['stopContainer 60@5000']],
    [
      'a slow start',
      { then: { slowStart: { duration: '1h' } } },
      ['stopContainer 60@0', 'startContainer@5000'],
    ],
    // What is left of the grace period is the container's again.
    ['a lost stop signal', { then: { ignoreStop: {} } }, ['stopContainer 55@5000']],
    ['a late reply', { match: { method: 'StopContainer' }, on: 'reply', then: { delay: '1h' } }, []],
  ])('%s is over when the rule is taken back', async (_, rule, expected) => {
    const w = world([rule]);
    w.clock.setTimer(5000, () => w.registry.reset());
    const stop = () => w.service.stopContainer({ containerId: 'ctr-1', timeout: 60n }, w.call());
    const both = async () => [await stop(), ...(rule.then.slowStart ? [await start(w)] : [])];
    expect(await outcome(w, both)).toBe('ok@5000');
    if (expected.length > 0) expect(w.log).toEqual(expected);
  });

  test('is not answered with what was the last reply before the rules were taken back', async () => {
    const stale: FaultInput = { match: { method: 'ListContainers' }, then: { reply: { stale: true } } };
    const w = world([stale]);
    const listed = async () => w.service.listContainers({ filter: undefined }, w.call());
    const first = await listed();
    w.registry.reset();
    w.setCreatedAt(7_000_000_000n);
    w.registry.add([stale], 'test');
    expect(await listed()).not.toEqual(first);
  });

  test('can be reset on the wire', async () => {
    const w = world([{ match: { method: 'StartContainer' }, then: { reset: { code: 'CANCEL' } } }]);
    expect(await outcome(w, () => start(w))).toMatch(/^1 /);
    expect(w.log).toEqual(['rst 8']);
  });
});

describe('the event stream', () => {
  const on = 'message' as const;
  const match = { method: 'GetContainerEvents' };
  test.each<[string, FaultInput[], string[]]>([
    ['passes without rules', [], ['1@0', '2@0', '3@0', '4@0', 'end']],
    [
      'drops the second',
      [{ match, on, when: { after: 1, times: 1 }, then: { drop: {} } }],
      ['1@0', '3@0', '4@0', 'end'],
    ],
    [
      'doubles the first',
      [{ match, on, when: { times: 1 }, then: { duplicate: {} } }],
      ['1@0', '1@0', '2@0', '3@0', '4@0', 'end'],
    ],
    [
      'reorders two',
      [{ match, on, when: { times: 1 }, then: { reorder: { window: 2 } } }],
      ['2@0', '1@0', '3@0', '4@0', 'end'],
    ],
    [
      'replays after the third',
      [{ match, on, when: { after: 2, times: 1 }, then: { replay: { last: 2 } } }],
      ['1@0', '2@0', '3@0', '1@0', '2@0', '4@0', 'end'],
    ],
    ['ends at the third', [{ match, on, when: { after: 2 }, then: { end: {} } }], ['1@0', '2@0', 'end']],
    [
      'breaks at the second',
      [{ match, on, when: { after: 1 }, then: { close: { message: 'gone' } } }],
      ['1@0', 'gone'],
    ],
    [
      'is slow',
      [{ match, on, then: { throttle: { perSecond: 2 } } }],
      ['1@500', '2@1000', '3@1500', '4@2000', 'end'],
    ],
    [
      'stalls',
      [{ match, on, when: { after: 1, times: 1 }, then: { stall: { for: '10s' } } }],
      ['1@0', '2@10000', '3@10000', '4@10000', 'end'],
    ],
    [
      'has the wrong unit',
      [{ match, on, when: { times: 1 }, then: { reply: { patch: { created_at: { $multiply: 1000 } } } } }],
      ['1000@0', '2@0', '3@0', '4@0', 'end'],
    ],
    ['ends before it begins', [{ match, then: { end: {} } }], ['end']],
    ['fails before it begins', [{ match, then: { close: { message: 'no' } } }], ['no']],
  ])('%s', async (_, rules, expected) => {
    expect(await received(world(rules, [1, 2, 3, 4]))).toEqual(expected);
  });
});

describe('the event stream, when the rules are taken back', () => {
  const stream = (then: FaultInput['then'], at: number) => {
    const w = world([{ match: { method: 'GetContainerEvents' }, on: 'message', then }], [1, 2, 3]);
    w.keepOpen();
    w.clock.setTimer(at, () => w.registry.reset());
    return received(w);
  };
  test.each<[string, FaultInput['then'], string[]]>([
    [
      'gives back what was held for reordering',
      { reorder: { window: 9 } },
      ['3@5000', '2@5000', '1@5000', 'open'],
    ],
    ['is slow no more', { throttle: { perSecond: 0.001 } }, ['1@5000', '2@5000', '3@5000', 'open']],
    ['is delayed no more', { delay: '1h' }, ['1@5000', '2@5000', '3@5000', 'open']],
  ])('%s', async (_, then, expected) => expect(await stream(then, 5000)).toEqual(expected));
});

describe('the runtime', () => {
  test('restarts periodically at its time', async () => {
    const w = world([
      { when: { during: { from: '10s' }, every: '5s', times: 3 }, then: { restart: { downFor: '400ms' } } },
    ]);
    await w.clock.advance(60_000);
    expect(w.log).toEqual(['restart 400 keep@10000', 'restart 400 keep@15000', 'restart 400 keep@20000']);
  });

  test('reports a condition until it is over', async () => {
    const w = world([{ then: { condition: { type: 'NetworkReady', for: '1m' } } }]);
    await w.clock.advance(120_000);
    expect(w.log).toEqual(['NetworkReady false FaultInjected@0', 'NetworkReady undefined undefined@60000']);
  });

  test('pauses every call until reset', async () => {
    const w = world([{ then: { pause: {} } }]);
    await w.clock.advance(1);
    w.clock.setTimer(5000, () => w.registry.reset());
    expect(await outcome(w, () => start(w))).toBe('ok@5001');
  });

  test('reports what a second rule says until that one is over, then what the first says', async () => {
    const w = world([
      { then: { condition: { type: 'NetworkReady', reason: 'first', for: '1m' } } },
      {
        when: { during: { from: '10s' } },
        then: { condition: { type: 'NetworkReady', reason: 'second', for: '10s' } },
      },
    ]);
    await w.clock.advance(120_000);
    expect(w.log).toEqual([
      'NetworkReady false first@0',
      'NetworkReady false second@10000',
      'NetworkReady false first@20000',
      'NetworkReady undefined undefined@60000',
    ]);
  });

  test('loses containers by name, at a time', async () => {
    const w = world([
      { match: { container: { name: 'app' } }, when: { during: { from: '2s' } }, then: { oom: {} } },
    ]);
    await w.clock.advance(10_000);
    expect(w.log).toEqual(['exit ctr-1 137 OOMKilled@2000']);
  });

  test.each([
    ['SIGTERM', 143],
    ['KILL', 137],
    ['HUP', 129],
  ] as const)('a container ends by signal %s', async (signal, code) => {
    const w = world([{ match: { container: { name: 'app' } }, then: { exit: { signal } } }]);
    await w.clock.advance(1);
    expect(w.log).toEqual([`exit ctr-1 ${code} undefined@0`]);
  });
});

import { describe, expect, test } from 'vitest';
import { faultyService, outcome, start } from '../../../test/support/faults/faulty-service.js';
import { ListContainersRequest, ListContainersResponse } from '../../cri/gen/runtime/v1/api.js';
import { decoded } from '../../cri/reply.js';
import type { FaultInput } from './language/rule-schema.js';
import { readRules } from './language/written-rule.js';

describe('a call', () => {
  test('fails before its work', async () => {
    const faulty = faultyService([
      { match: { method: 'StartContainer' }, then: { error: { code: 'UNAVAILABLE', message: 'oops' } } },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toBe('14 oops@0');
    expect(faulty.log).toEqual([]);
    expect(faulty.trailers).toEqual(['error-StartContainer-1']);
  });

  test('fails after its work', async () => {
    const faulty = faultyService([
      {
        match: { method: 'StartContainer' },
        then: { error: { code: 'DEADLINE_EXCEEDED', message: 'lost', effect: 'after' } },
      },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toBe('4 lost@0');
    expect(faulty.log).toEqual(['startContainer@0']);
  });

  test('fails now, its work is done late', async () => {
    const faulty = faultyService([
      {
        match: { method: 'StartContainer' },
        then: { error: { message: 'late', effect: 'late', lateBy: '3s' } },
      },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toBe('2 late@0');
    expect(faulty.log).toEqual(['startContainer@3000']);
  });

  test('a reply may have a new element of a list, with only some fields', async () => {
    const faulty = faultyService([
      {
        match: { method: 'ListContainers' },
        on: 'reply',
        then: { reply: { patch: { containers: [{ id: 'new', state: 'CONTAINER_EXITED' }] } } },
      },
    ]);
    const reply = await faulty.service.listContainers(ListContainersRequest.fromPartial({}), faulty.call());
    const { containers } = decoded(reply, ListContainersResponse);
    expect(containers).toMatchObject([{ id: 'new', state: 2, labels: {} }]);
  });

  test('hangs, then continues', async () => {
    const faulty = faultyService([{ match: { method: 'StartContainer' }, then: { hang: { for: '5m' } } }]);
    expect(await outcome(faulty, () => start(faulty))).toBe('ok@300000');
    expect(faulty.log).toEqual(['startContainer@300000']);
  });

  test('hangs until the rules are reset', async () => {
    const faulty = faultyService([{ match: { method: 'StartContainer' }, then: { hang: {} } }]);
    faulty.clock.setTimer(7000, () => faulty.registry.reset());
    expect(await outcome(faulty, () => start(faulty))).toBe('ok@7000');
  });

  test('that hangs ends when its client gives up, without its work', async () => {
    const faulty = faultyService([{ match: { method: 'StartContainer' }, then: { hang: {} } }]);
    const client = new AbortController();
    faulty.clock.setTimer(1000, () => client.abort(new Error('gave up')));
    expect(await outcome(faulty, () => start(faulty, 'ctr-1', client.signal))).toBe('Error: gave up');
    expect(faulty.log).toEqual([]);
  });

  test('is delayed by the sum of all delays, and the first action wins', async () => {
    const faulty = faultyService([
      { match: { method: '*' }, then: { delay: '1s' } },
      {
        name: 'first',
        match: { method: '@mutating' },
        then: { delay: '2s', error: { code: 'ABORTED', message: 'first' } },
      },
      { name: 'second', match: { method: 'StartContainer' }, then: { error: { code: 'INTERNAL' } } },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toBe('10 first@3000');
    expect(faulty.registry.list().map((rule) => [rule.applied, rule.shadowed])).toEqual([
      [1, 0],
      [1, 0],
      [0, 1],
    ]);
  });

  test('is matched by pod and container names, which the rule needs no ids for', async () => {
    const faulty = faultyService([
      {
        match: { pod: { name: 'web-*', labels: { app: 'web' } }, container: { name: '/^app$/', attempt: 0 } },
        then: { error: {} },
      },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toMatch(/^2 /);
    expect(await outcome(faulty, () => start(faulty, 'other'))).toMatch(/^ok/);
  });

  test('is matched by fields of its request', async () => {
    const faulty = faultyService([
      { match: { method: 'StopContainer', request: { timeout: 30 } }, then: { error: {} } },
    ]);
    expect(
      await outcome(faulty, () =>
        faulty.service.stopContainer({ containerId: 'x', timeout: 30n }, faulty.call()),
      ),
    ).toMatch(/^2 /);
    expect(
      await outcome(faulty, () =>
        faulty.service.stopContainer({ containerId: 'x', timeout: 5n }, faulty.call()),
      ),
    ).toMatch(/^ok/);
  });

  test('counts: after 1, every 2nd, at most 2 times', async () => {
    const faulty = faultyService([
      { match: { method: 'StartContainer' }, when: { after: 1, every: 2, times: 2 }, then: { error: {} } },
    ]);
    const ends = [];
    for (let index = 0; index < 7; index++)
      ends.push((await outcome(faulty, () => start(faulty))).slice(0, 2));
    expect(ends).toEqual(['ok', 'ok', '2 ', 'ok', '2 ', 'ok', 'ok']);
    expect(faulty.registry.list()[0]).toMatchObject({ seen: 7, matched: 7, applied: 2, left: 0 });
  });

  test('probability draws the same numbers from the same seed, whatever other rules there are', async () => {
    const ends = async (rules: FaultInput[]) => {
      const faulty = faultyService(rules);
      const codes: string[] = [];
      for (let index = 0; index < 20; index++)
        codes.push((await outcome(faulty, () => start(faulty))).slice(0, 2));
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
    const patched = faultyService([
      {
        match: { method: 'ListContainers' },
        then: { reply: { patch: { containers: { created_at: { $divide: 1e9 } } } } },
      },
    ]);
    const reply = await patched.service.listContainers({ filter: undefined }, patched.call());
    expect(ListContainersResponse.decode(reply as Buffer).containers[0]?.createdAt).toBe(5n);
    const padded = faultyService([
      { match: { method: 'ListContainers' }, then: { reply: { pad: 100_000 } } },
    ]);
    const long = (await padded.service.listContainers({ filter: undefined }, padded.call())) as Buffer;
    expect(long.length).toBeGreaterThan(100_000);
    expect(ListContainersResponse.decode(long).containers).toHaveLength(1);
  });

  test('the stop signal is lost: the grace passes, then the kill', async () => {
    const faulty = faultyService([{ match: { container: { name: 'app' } }, then: { ignoreStop: {} } }]);
    expect(
      await outcome(faulty, () =>
        faulty.service.stopContainer({ containerId: 'ctr-1', timeout: 30n }, faulty.call()),
      ),
    ).toBe('ok@30000');
    expect(faulty.log).toEqual(['stopContainer 0@30000']);
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
  ])('%s is over when the rule is removed', async (_, rule, expected) => {
    const faulty = faultyService([rule]);
    faulty.clock.setTimer(5000, () => faulty.registry.reset());
    const stop = () => faulty.service.stopContainer({ containerId: 'ctr-1', timeout: 60n }, faulty.call());
    const both = async () => [await stop(), ...(rule.then.slowStart ? [await start(faulty)] : [])];
    expect(await outcome(faulty, both)).toBe('ok@5000');
    if (expected.length > 0) expect(faulty.log).toEqual(expected);
  });

  test('is not answered with what was the last reply before the rules were removed', async () => {
    const stale: FaultInput = { match: { method: 'ListContainers' }, then: { reply: { stale: true } } };
    const faulty = faultyService([stale]);
    const listed = async () => faulty.service.listContainers({ filter: undefined }, faulty.call());
    const first = await listed();
    faulty.registry.reset();
    faulty.setCreatedAt(7_000_000_000n);
    faulty.registry.add(readRules([stale], 'test'), 'test');
    expect(await listed()).not.toEqual(first);
  });

  test('is stale by request: the last reply to another one is not repeated', async () => {
    const faulty = faultyService([
      { match: { method: 'ListContainers' }, when: { after: 2 }, then: { reply: { stale: true } } },
    ]);
    const listed = async (id: string): Promise<bigint | undefined> => {
      const filter = { id, state: undefined, podSandboxId: '', labelSelector: {} };
      const reply = await faulty.service.listContainers({ filter }, faulty.call());
      const { containers } = Buffer.isBuffer(reply) ? ListContainersResponse.decode(reply) : reply;
      return containers[0]?.createdAt;
    };
    const seen: (bigint | undefined)[] = [];
    for (const [time, id] of ['one', 'two', 'one', 'three'].entries()) {
      faulty.setCreatedAt(BigInt(time + 1));
      seen.push(await listed(id));
    }
    expect(seen).toEqual([1n, 2n, 1n, 4n]);
  });

  test('can be reset on the wire', async () => {
    const faulty = faultyService([
      { match: { method: 'StartContainer' }, then: { reset: { code: 'CANCEL' } } },
    ]);
    expect(await outcome(faulty, () => start(faulty))).toMatch(/^1 /);
    expect(faulty.log).toEqual(['rst 8']);
  });
});

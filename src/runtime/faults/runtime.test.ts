import { describe, expect, test } from 'vitest';
import { faultyService, outcome, start } from '../../../test/support/faults/faulty-service.js';

describe('the runtime', () => {
  test('restarts periodically at its time', async () => {
    const faulty = faultyService([
      { when: { during: { from: '10s' }, every: '5s', times: 3 }, then: { restart: { downFor: '400ms' } } },
    ]);
    await faulty.clock.advance(60_000);
    expect(faulty.log).toEqual([
      'restart 400 keep@10000',
      'restart 400 keep@15000',
      'restart 400 keep@20000',
    ]);
  });

  test('that restarts at a call does not do its work; one that restarts at the reply has done it', async () => {
    for (const [on, log] of [
      ['call', ['restart 400 keep@0']],
      ['reply', ['startContainer@0', 'restart 400 keep@0']],
    ] as const) {
      const faulty = faultyService([
        { match: { method: 'StartContainer' }, on, then: { restart: { downFor: '400ms' } } },
      ]);
      expect(await outcome(faulty, () => start(faulty))).toMatch(/^14 /);
      expect(faulty.log).toEqual(log);
    }
  });

  test('reports a condition until it is over', async () => {
    const faulty = faultyService([{ then: { condition: { type: 'NetworkReady', for: '1m' } } }]);
    await faulty.clock.advance(120_000);
    expect(faulty.log).toEqual([
      'NetworkReady false FaultInjected@0',
      'NetworkReady undefined undefined@60000',
    ]);
  });

  test('pauses every call until reset', async () => {
    const faulty = faultyService([{ then: { pause: {} } }]);
    await faulty.clock.advance(1);
    faulty.clock.setTimer(5000, () => faulty.registry.reset());
    expect(await outcome(faulty, () => start(faulty))).toBe('ok@5001');
  });

  test('reports what a second rule says until that one is over, then what the first says', async () => {
    const faulty = faultyService([
      { then: { condition: { type: 'NetworkReady', reason: 'first', for: '1m' } } },
      {
        when: { during: { from: '10s' } },
        then: { condition: { type: 'NetworkReady', reason: 'second', for: '10s' } },
      },
    ]);
    await faulty.clock.advance(120_000);
    expect(faulty.log).toEqual([
      'NetworkReady false first@0',
      'NetworkReady false second@10000',
      'NetworkReady false first@20000',
      'NetworkReady undefined undefined@60000',
    ]);
  });

  test('loses containers by name, at a time', async () => {
    const faulty = faultyService([
      { match: { container: { name: 'app' } }, when: { during: { from: '2s' } }, then: { oom: {} } },
    ]);
    await faulty.clock.advance(10_000);
    expect(faulty.log).toEqual(['exit ctr-1 137 OOMKilled@2000']);
  });

  test.each([
    ['SIGTERM', 143],
    ['KILL', 137],
    ['HUP', 129],
  ] as const)('a container ends by signal %s', async (signal, code) => {
    const faulty = faultyService([{ match: { container: { name: 'app' } }, then: { exit: { signal } } }]);
    await faulty.clock.advance(1);
    expect(faulty.log).toEqual([`exit ctr-1 ${code} undefined@0`]);
  });
});

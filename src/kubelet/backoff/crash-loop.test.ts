import { describe, expect, test } from 'vitest';
import {
  aContainer,
  aPod,
  aRuntimeContainer,
  aRuntimeStatus,
} from '../../../test/support/kubelet/objects.js';
import { createVirtualClock } from '../../base/clock/virtual-clock.js';
import { kubeletVersion } from '../config/version.js';
import { type Recorder, StartError } from '../types/ports.js';
import { checkCrashLoop, crashLoopLimits, createCrashLoopBackOff } from './crash-loop.js';

const SECOND = 1000;

describe('limits of the crash-loop back-off', () => {
  test.each([
    [false, false, undefined, 10, 300],
    [true, false, undefined, 1, 60],
    [false, true, undefined, 10, 300],
    [true, true, undefined, 1, 300],
    [false, true, 60, 10, 60],
    [false, true, 5, 5, 5],
    [true, true, 5, 1, 5],
    [false, false, 60, 10, 300],
  ])(
    'reduced %s, configurable %s, configured %s s: %d s to %d s',
    (reduced, configurable, max, initial, most) => {
      const gates = {
        ReduceDefaultCrashLoopBackOffDecay: reduced,
        KubeletCrashLoopBackOffMax: configurable,
      };
      expect(crashLoopLimits(gates, max === undefined ? undefined : max * SECOND)).toEqual({
        initial: initial * SECOND,
        max: most * SECOND,
      });
    },
  );
});

describe('checkCrashLoop', () => {
  function setup() {
    const clock = createVirtualClock();
    const events: string[] = [];
    const recorder: Recorder = {
      event: (_pod, type, reason, message, container) =>
        events.push(`${type} ${reason} ${container?.name}: ${message}`),
    };
    const check = {
      backOff: createCrashLoopBackOff(clock, { initial: 10 * SECOND, max: 300 * SECOND }),
      version: kubeletVersion('1.36'),
      recorder,
    };
    const container = aContainer({ name: 'app' });
    const pod = aPod({ containers: [container] });
    const exited = (finishedAt: bigint) =>
      aRuntimeStatus([aRuntimeContainer({ name: 'app', state: 'exited', finishedAt })]);
    const attempt = (finishedAt: bigint) => {
      try {
        checkCrashLoop(check, pod, container, exited(finishedAt));
        return undefined;
      } catch (error) {
        if (error instanceof StartError) return error;
        throw error;
      }
    };
    return { clock, events, check, pod, container, attempt };
  }

  test('the first restart is immediate, the second waits, with the kubelet’s messages', async () => {
    const { clock, events, attempt } = setup();
    expect(attempt(clock.now())).toBeUndefined();
    const second = clock.now();
    const refused = attempt(second);
    expect(refused).toMatchObject({
      reason: 'CrashLoopBackOff',
      message: 'back-off 10s restarting failed container=app pod=web_default(uid-1)',
      backOffExpires: second + 10_000_000_000n,
    });
    expect(events).toEqual([
      'Warning BackOff app: Back-off restarting failed container app in pod web_default(uid-1)',
    ]);
    await clock.advance(10 * SECOND);
    expect(attempt(second)).toBeUndefined();
    expect(attempt(clock.now())?.message).toMatch(/^back-off 20s /);
  });

  test('a container that never exited renews nothing', () => {
    const { check, pod, container, clock, attempt } = setup();
    const running = aRuntimeStatus([aRuntimeContainer({ name: 'app', state: 'running' })]);
    checkCrashLoop(check, pod, container, running);
    expect(attempt(clock.now())).toBeUndefined();
  });

  test('uses the newest dead instance, not a running one', async () => {
    const { check, pod, container, clock, attempt } = setup();
    attempt(clock.now());
    const status = aRuntimeStatus([
      aRuntimeContainer({ name: 'app', state: 'running' }),
      aRuntimeContainer({ name: 'app', state: 'exited', finishedAt: clock.now() }),
      aRuntimeContainer({ name: 'app', state: 'exited', finishedAt: 0n }),
    ]);
    expect(() => checkCrashLoop(check, pod, container, status)).toThrow(/^back-off 10s/);
  });

  test('an exit time near 1970 never waits: the hot loop of a runtime that reports seconds', () => {
    const { attempt } = setup();
    for (let restart = 0; restart < 20; restart++) expect(attempt(1_767_225_600n)).toBeUndefined();
  });
});

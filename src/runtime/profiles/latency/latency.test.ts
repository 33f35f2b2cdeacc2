import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../../../../test/support/scenario/simulate.js';
import { useTemporaryDirectory } from '../../../../test/support/temporary.js';
import { millisToNanos } from '../../../base/clock/clock.js';
import { checkInput } from '../../../base/input/yaml.js';
import { createRandom } from '../../../base/random/random.js';
import type { CriClient } from '../../../cri/client/client.js';
import { ContainerState } from '../../../cri/gen/runtime/v1/api.js';
import { startMockri } from '../../../testing/index.js';
import { runtimeProfiles } from '../index.js';
import { chooseLatency } from './choose-latency.js';
import { around, draw } from './latency.js';
import { operationsSchema } from './latency-schema.js';

const directory = useTemporaryDirectory();

const file = (text: string): string => {
  const path = join(directory, 'times.yaml');
  writeFileSync(path, text);
  return path;
};

describe('a time from a distribution', () => {
  const times = (distribution: readonly number[]) => {
    const random = createRandom(1);
    return Array.from({ length: 1000 }, () => draw(distribution, random));
  };

  test('has its quantiles', () => {
    const sorted = times([10, 20, 100]).sort((a, b) => a - b);
    expect(sorted[0]).toBeGreaterThanOrEqual(10);
    const below = sorted.filter((time) => time < 20).length;
    expect(below).toBeGreaterThan(450);
    expect(below).toBeLessThan(550);
    expect(sorted[999]).toBeLessThan(100);
    expect(sorted[999]).toBeGreaterThan(95);
  });

  test('does not vary if there is one, and is nothing if there is none', () => {
    expect(new Set(times([7]))).toEqual(new Set([7]));
    expect(new Set(times([]))).toEqual(new Set([0]));
  });
});

describe('times that somebody writes', () => {
  const read = (given: object) => checkInput(given, operationsSchema, 'latency');

  test('one duration varies by a fifth, a list has quantiles', () => {
    expect(read({ exec: '1s', pull: ['10ms', '1m'] })).toEqual({ exec: [800, 1200], pull: [10, 60_000] });
  });

  test.each([
    [{ startContaner: '1s' }, 'startContaner: unknown key; did you mean "startContainer"?'],
    [{ exec: ['2s', '1s'] }, 'exec: expected quantiles from the least to the greatest'],
    [{ exec: '-1s' }, 'exec: expected a duration that is not negative'],
    [{ exec: 5 }, 'exec: expected a duration such as "250ms"'],
    [{ exec: [] }, 'exec: expected'],
  ])('%j is refused', (given, message) => expect(() => read(given)).toThrow(message));
});

describe('which times a server takes', () => {
  const measured = runtimeProfiles['containerd-2.4']?.latency();

  test('its profile decides, until somebody chooses', () => {
    expect(chooseLatency(undefined, 'strict', '--latency')).toBeUndefined();
    expect(chooseLatency(undefined, 'containerd-2.4', '--latency')).toBe(measured);
    expect(chooseLatency('none', 'containerd-2.4', '--latency')).toBeUndefined();
    expect(() => chooseLatency('profile', 'strict', '--latency')).toThrow(
      '--latency: the profile strict has no times',
    );
  });

  test('a file has its own times, and may have others from a profile', () => {
    const own = 'version: 1\noperations: { exec: 1s }';
    expect(chooseLatency(file(own), 'containerd-2.4', '--latency')).toEqual({ exec: around(1000) });
    expect(chooseLatency(file(`${own}\nbase: containerd-2.4`), 'strict', '--latency')).toEqual({
      ...measured,
      exec: around(1000),
    });
    expect(() => chooseLatency(file('version: 1\noperations: { exce: 1s }'), 'strict', '--latency')).toThrow(
      /times.yaml:2:15: operations.exce: unknown key; did you mean "exec"/,
    );
    expect(() => chooseLatency('/no/file', 'strict', '--latency')).toThrow('--latency: /no/file');
  });
});

describe('a runtime that takes its time', () => {
  const config = { metadata: { name: 'web', uid: 'u', namespace: 'default', attempt: 0 } };

  async function startApp(client: CriClient, command: readonly string[]): Promise<string> {
    const image = { image: 'busybox:1.36' };
    await client.pullImage({ image });
    const { podSandboxId } = await client.runPodSandbox({ config });
    const app = { metadata: { name: 'app', attempt: 0 }, image, command };
    const { containerId } = await client.createContainer({
      podSandboxId,
      config: app,
      sandboxConfig: config,
    });
    await client.startContainer({ containerId });
    return containerId;
  }

  test('takes it on the virtual clock', async () => {
    await using mockri = await startMockri({ clock: 'virtual', latency: { runSandbox: ['3s'] } });
    const { client, clock } = mockri;
    await mockri.runUntil(client.runPodSandbox({ config }));
    expect(clock.elapsed()).toBe(3000);
  });

  test('shows the end of a process late, with the time when it ended', async () => {
    await using mockri = await startMockri({ clock: 'virtual', latency: { exitReport: ['500ms'] } });
    const { client } = mockri;
    const containerId = await mockri.runUntil(startApp(client, ['sh', '-c', 'exit 1']));
    const status = async () => (await client.containerStatus({ containerId })).status;
    await mockri.advance(400);
    expect(await status()).toMatchObject({ state: ContainerState.CONTAINER_RUNNING });
    await mockri.advance(200);
    const ended = await status();
    expect(ended).toMatchObject({ state: ContainerState.CONTAINER_EXITED, exitCode: 1 });
    expect((ended?.finishedAt ?? 0n) - (ended?.startedAt ?? 0n)).toBeLessThan(millisToNanos(100));
  });

  test('reports the end of a container that is stopped in its first step before the stop is over', async () => {
    await using mockri = await startMockri({ clock: 'virtual', latency: { firstStep: ['1s'] } });
    const { client } = mockri;
    const life = async () => {
      const containerId = await startApp(client, ['sleep', '1000']);
      await client.stopContainer({ containerId });
      return (await client.containerStatus({ containerId })).status?.exitCode;
    };
    expect(await mockri.runUntil(life())).toBe(137);
  });

  test.each([
    ['runSandbox', 'latency'],
    ['createContainer', 'latency'],
    ['runSandbox', 'a fault rule'],
    ['createContainer', 'a fault rule'],
  ] as const)(
    '%s continues when its client has gone, and holds its name until then: slow by %s',
    async (operation, why) => {
      await using mockri = await startMockri({
        clock: 'virtual',
        profile: 'containerd-2.4',
        latency: why === 'latency' ? { [operation]: ['30s'] } : {},
      });
      const { client } = mockri;
      const image = { image: 'busybox:1.36' };
      await mockri.runUntil(client.pullImage({ image }));
      const isCreate = operation === 'createContainer';
      const podSandboxId = isCreate
        ? (await mockri.runUntil(client.runPodSandbox({ config }))).podSandboxId
        : '';
      const container = { metadata: { name: 'app', attempt: 0 }, image };
      const call = (signal?: AbortSignal): Promise<unknown> =>
        isCreate
          ? client.createContainer({ podSandboxId, config: container, sandboxConfig: config }, { signal })
          : client.runPodSandbox({ config }, { signal });
      const method = isCreate ? 'CreateContainer' : 'RunPodSandbox';
      if (why === 'a fault rule') mockri.fault(method).once().slowCreate({ duration: '30s' });
      const gone = new AbortController();
      const first = call(gone.signal).catch(() => 'gone');
      await mockri.advance(10_000);
      gone.abort();
      expect(await mockri.runUntil(first)).toBe('gone');
      await expect(mockri.runUntil(call())).rejects.toThrow(/failed to reserve (sandbox|container) name/);
      await mockri.advance(31_000);
      await mockri.runUntil(call());
    },
  );

  test('does so with a profile, unless its option says none', async () => {
    await using measured = await startMockri({ clock: 'virtual', profile: 'containerd-2.4' });
    await measured.runUntil(measured.client.runPodSandbox({ config }));
    expect(measured.clock.elapsed()).toBeGreaterThan(100);
    await using quick = await startMockri({ clock: 'virtual', profile: 'containerd-2.4', latency: 'none' });
    await quick.client.runPodSandbox({ config });
    expect(quick.clock.elapsed()).toBe(0);
  });

  test('is the runtime of a scenario that names it', async () => {
    const manifest = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'app', image: 'busybox:1.36', command: ['/no/such/program'] }] },
    };
    const scenario = { pods: [{ manifest }], until: '10s' };
    const failureOf = ({ events }: Awaited<ReturnType<typeof run>>) =>
      events.find(({ reason }) => reason === 'Failed');
    const strict = await run({ ...scenario, latency: 'none' });
    const real = await run({ ...scenario, runtime: 'containerd-2.3', latency: { runSandbox: ['2s'] } });
    expect(failureOf(strict)?.t).toBeLessThan(1);
    expect(failureOf(real)?.t).toBeGreaterThan(2);
    expect(failureOf(strict)?.message).toMatch(/no such file or directory$/);
    expect(failureOf(real)?.message).toMatch(/^Error: failed to create containerd task: /);
  });
});

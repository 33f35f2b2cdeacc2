import { addAbortSignal, PassThrough } from 'node:stream';
import { expect, it } from 'vitest';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import type { BackendCondition } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { createMonitor, type DockerEvent, type MonitorHandlers } from './monitor.js';

/** A Docker without containers whose streams of events can be ended, and the resulting calls to the runtime. */
function openMonitor() {
  const streams: PassThrough[] = [];
  const conditions: BackendCondition[] = [];
  const docker = {
    getEvents: async ({ abortSignal }: { abortSignal: AbortSignal }) => {
      const stream = addAbortSignal(abortSignal, new PassThrough());
      streams.push(stream);
      return stream;
    },
    listContainers: async () => [],
  };
  const host = { conditionChanged: (condition: BackendCondition) => conditions.push(condition) };
  const clock = createVirtualClock();
  const context = { docker, host, clock } as unknown as Context;
  return { clock, streams, conditions, monitor: createMonitor(context) };
}

const handlers = (reconcile: () => Promise<void>): MonitorHandlers => ({ reconcile, event: () => {} });
const never = new AbortController().signal;

it('lets requests that wait for Docker go on while everything is looked at again', async () => {
  const { clock, streams, conditions, monitor } = openMonitor();
  let isFirst = true;
  // A container's start may be in progress: its end is looked into once the start has ended.
  const reconcile = async () => {
    if (!isFirst) await monitor.untilConnected(never);
    isFirst = false;
  };
  await monitor.start(handlers(reconcile));
  conditions.length = 0;
  streams[0]?.end();
  expect(await clock.runUntil(() => conditions.length === 2, 1000)).toBe(true);
  await monitor.close();
  expect(conditions.map(({ status }) => status)).toEqual([false, true]);
});

it('is started once the first listing was dealt with', async () => {
  const { monitor } = openMonitor();
  let isDone = false;
  await monitor.start(
    handlers(async () => {
      await Promise.resolve();
      isDone = true;
    }),
  );
  expect(isDone).toBe(true);
  await monitor.close();
});

it('refuses to wait any longer when the call is cancelled', async () => {
  const { monitor } = openMonitor();
  await expect(monitor.untilConnected(AbortSignal.abort())).rejects.toThrow('Docker is away');
});

it('reports an event, however it is split into chunks', async () => {
  const { streams, monitor } = openMonitor();
  const event = new Promise<DockerEvent>((resolve) => {
    void monitor.start({ reconcile: async () => {}, event: resolve });
  });
  await Promise.resolve();
  const labels = { 'dev.mockri.kind': 'container', 'dev.mockri.id': 'c1', 'dev.mockri.sandbox': 's1' };
  const line = `${JSON.stringify({ Action: 'die', timeNano: 1e18, Actor: { ID: 'd1', Attributes: { ...labels, exitCode: '3' } } })}\n`;
  streams[0]?.write(line.slice(0, 40));
  streams[0]?.write(line.slice(40));
  expect(await event).toEqual({
    ...{ kind: 'container', id: 'c1', sandboxId: 's1', action: 'die', dockerId: 'd1' },
    exit: { exitCode: 3, finishedAt: 1_000_000_000_000_000_000n },
  });
  await monitor.close();
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createVirtualClock } from '../../../base/clock/virtual-clock.js';
import { freePorts } from '../program/free-ports.js';
import { scrape } from './kubelet.js';

const clock = createVirtualClock();
const server = createServer((request, response) => response.end(`path ${request.url}\n`));
beforeEach(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
afterEach(() => void server.close());

it('gets the metrics while the clock settles, also within a task of the clock, and no time passes', async () => {
  const { port } = server.address() as AddressInfo;
  const [outside] = await Promise.all([scrape(clock, port), clock.settle()]);
  expect(outside).toBe('path /metrics\n');
  let within = { text: '', t: -1 };
  clock.setTimer(1000, async () => {
    within = { text: await scrape(clock, port), t: clock.elapsed() };
  });
  await clock.runUntil(() => within.t >= 0, 2000);
  expect(within).toEqual({ text: 'path /metrics\n', t: 1000 });
});

it('is empty where nothing listens', async () => {
  const [port = 0] = await freePorts(1);
  expect(await scrape(clock, port)).toBe('');
});

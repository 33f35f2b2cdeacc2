import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { freePorts } from './free-ports.js';

const [first = 0, last = 0] = readFileSync('/proc/sys/net/ipv4/ip_local_port_range', 'utf8')
  .split('\t')
  .map(Number);

it('gives ports that the kernel gives to no connection and no other server', async () => {
  const ports = await freePorts(200);
  expect(new Set(ports).size).toBe(200);
  expect(ports.filter((port) => port < 1024 || port > 65_535 || (port >= first && port <= last))).toEqual([]);
});

it('gives no port that something listens on', async () => {
  const [taken = 0] = await freePorts(1);
  const server = createServer();
  onTestFinished(() => void server.close());
  await new Promise<void>((resolve) => server.listen(taken, '127.0.0.1', resolve));
  const [next = 0] = await freePorts(1, taken);
  expect(next).not.toBe(taken);
});

import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import { onTestFinished } from 'vitest';
import type { VirtualClock } from '../../../src/clock/virtual-clock.js';
import type { ProbeOutcome } from '../../../src/kubelet/probes/outcome.js';

/** Listens on a free port of 127.0.0.1 until the test ends; resolves with the port. */
export async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** A port without a listener. */
export async function freePort(): Promise<number> {
  const server = createTcpServer();
  const port = await listen(server);
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** Runs a virtual clock until the check ends; returns its result and its duration on the clock. */
export async function runOn(
  clock: VirtualClock,
  check: () => Promise<ProbeOutcome>,
): Promise<[ProbeOutcome, number]> {
  const start = clock.elapsed();
  const run = clock.run(async () => [await check(), clock.elapsed() - start] as [ProbeOutcome, number]);
  run.catch(() => {});
  await clock.advance(10_000);
  return run;
}

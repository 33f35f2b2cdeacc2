import type { Duplex } from 'node:stream';
import type { Clock } from '../../../src/base/clock/clock.js';
import type { VirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { createVirtualClock } from '../../../src/base/clock/virtual-clock.js';
import { SimulatedNetwork } from '../../../src/base/network/network.js';
import type { Dialer } from '../../../src/kubelet/probes/dial.js';
import type { ProbeOutcome } from '../../../src/kubelet/probes/outcome.js';

/** Where the servers of probes listen. */
export const TARGET = '127.64.0.1';

/** A probe's dialer on a clock's network. */
export function dialer<C extends Clock = VirtualClock>(clock?: C): Dialer & { readonly clock: C };
export function dialer(clock: Clock = createVirtualClock()): Dialer {
  return { clock, network: new SimulatedNetwork({ clock }) };
}

/** Sends the connections to a port of `TARGET` to a server that doesn't listen itself. */
export function listen(
  { clock }: Dialer,
  server: { emit(event: 'connection', connection: Duplex): unknown },
): void {
  clock.loopback.listen(TARGET, 80, (connection) => void server.emit('connection', connection));
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

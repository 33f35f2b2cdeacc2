import { randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';

/** Programs listen on lower ports by convention, and protobuf encodes higher ones in equally many bytes. */
const LOWEST = 16_384;
const HIGHEST = 65_535;

/** Ports that the kernel picks for outgoing connections and for servers that bind port 0. */
const RANGE = '/proc/sys/net/ipv4/ip_local_port_range';

/**
 * Finds ports of 127.0.0.1 that nothing listens on and that the kernel assigns to no connection. Starts at a random
 * port, because several programs may search at the same time.
 */
export async function freePorts(count: number, from?: number): Promise<number[]> {
  const candidates = portsToTry();
  const start = from === undefined ? randomInt(candidates.length) : candidates.indexOf(from);
  const ports: number[] = [];
  for (const port of [...candidates.slice(start), ...candidates.slice(0, start)]) {
    if (ports.length === count) break;
    if (await isFree(port)) ports.push(port);
  }
  return ports;
}

function portsToTry(): number[] {
  const all = Array.from({ length: HIGHEST - LOWEST + 1 }, (_, index) => LOWEST + index);
  const [first = LOWEST, last = HIGHEST] = readFileSync(RANGE, 'utf8').trim().split(/\s+/).map(Number);
  const outside = all.filter((port) => port < first || port > last);
  return outside.length === 0 ? all : outside;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

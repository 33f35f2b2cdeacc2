import { messageOf } from '../../../base/input/error-text.js';
import { parseIpAddress } from '../../../base/input/ip-address.js';
import type { Process } from '../../process/process.js';

/**
 * The addresses of a name: itself if it is an address, otherwise those in the container's /etc/hosts, otherwise those
 * of a Service. The simulated network has no other name service, so that names mean the same on every machine.
 */
export async function resolveName(process: Process, name: string): Promise<readonly string[]> {
  if (parseIpAddress(name) !== undefined) return [name];
  const hosts = await process.fs.readFile('/etc/hosts').catch(() => Buffer.from('127.0.0.1 localhost\n'));
  const addresses: string[] = [];
  for (const [line] of hosts.toString().matchAll(/.+/g)) {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    if (names.includes(name)) addresses.push(address);
  }
  return addresses.length > 0 ? addresses : process.container.resolve(name);
}

/** The first IPv4 address, otherwise the first address; undefined if it has none. */
export async function addressOf(process: Process, name: string): Promise<string | undefined> {
  const addresses = await resolveName(process, name);
  return addresses.find((address) => parseIpAddress(address)?.family === 4) ?? addresses[0];
}

/** The text of strerror(3) for a failed connection. */
export function connectionProblem(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const texts: Readonly<Record<string, string>> = {
    ECONNREFUSED: 'Connection refused',
    ECONNRESET: 'Connection reset by peer',
    EHOSTUNREACH: 'Host is unreachable',
    ENETUNREACH: 'Network is unreachable',
    EACCES: 'Permission denied',
    EMFILE: 'Too many open files',
    EADDRINUSE: 'Address already in use',
    EADDRNOTAVAIL: 'Address not available',
    ETIMEDOUT: 'Operation timed out',
  };
  return texts[String(code)] ?? messageOf(error);
}

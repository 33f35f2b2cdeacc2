import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Accepts a request's Host header. Only names can be redirected to this machine (DNS rebinding), so addresses are
 * accepted, as are the machine's own names and configured ones. The kubelet keeps the Host of a request that it
 * proxies, which is the node's name or address.
 */
export function isOwnHost(header: string | undefined, names: readonly string[] = []): boolean {
  const host = hostOf(header ?? '');
  return isIP(host) !== 0 || ['localhost', hostname(), ...names].some((name) => name.toLowerCase() === host);
}

function hostOf(header: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(header);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase();
}

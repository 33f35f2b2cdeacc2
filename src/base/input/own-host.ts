import { isIP } from 'node:net';
import { hostname } from 'node:os';

/**
 * Whether a request's Host header may be answered. Only a name can be pointed here by somebody else (DNS rebinding),
 * so addresses pass, as do the machine's own names and those of the configuration. The kubelet passes on the Host of
 * the request that it proxies, which is the node's name or address.
 */
export function isOwnHost(header: string | undefined, names: readonly string[] = []): boolean {
  const host = hostOf(header ?? '');
  return isIP(host) !== 0 || ['localhost', hostname(), ...names].some((name) => name.toLowerCase() === host);
}

/** Without the port and the brackets of an IPv6 address. */
function hostOf(header: string): string {
  const match = /^(?:\[([^\]]+)\]|([^:]+))(?::\d+)?$/.exec(header);
  return (match?.[1] ?? match?.[2] ?? '').toLowerCase();
}

import { isIPv6 } from 'node:net';

export interface SocketAddress {
  /** A name, an IPv4 address, or an IPv6 address without brackets. */
  readonly host: string;
  /** 0 to 65535; 0 selects a free port. */
  readonly port: number;
}

/**
 * Parses `host:port`; IPv6 needs brackets (RFC 3986 §3.2.2), because `::1:80` is ambiguous. Undefined for other text.
 */
export function parseSocketAddress(text: string): SocketAddress | undefined {
  const [, bracketed, plain, port] = /^(?:\[([^\]]+)\]|([^:/[\]\s]+)):(\d{1,5})$/.exec(text) ?? [];
  const host = bracketed ?? plain;
  if (host === undefined || Number(port) > 65_535) return undefined;
  return bracketed !== undefined && !isIPv6(bracketed) ? undefined : { host, port: Number(port) };
}

/** For address errors: `; port 99999: expected 0 to 65535` if the port is too large, otherwise empty. */
export function portHint(text: string): string {
  const port = /:(\d+)$/.exec(text)?.[1];
  return Number(port) > 65_535 ? `; port ${port}: expected 0 to 65535` : '';
}

/** As in a URL: `10.0.0.1:80`, `[::1]:80`. */
export const formatSocketAddress = ({ host, port }: SocketAddress): string =>
  host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;

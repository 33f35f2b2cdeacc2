import { isIPv4, isIPv6 } from 'node:net';

/** An IP address as a number, because spellings differ: as text, `::ffff:127.0.0.1` is not a loopback address. */
export interface IpAddress {
  readonly family: 4 | 6;
  readonly value: bigint;
}

export interface IpRange extends IpAddress {
  /** In bits. */
  readonly length: number;
}

const WIDTH = { 4: 32, 6: 128 } as const;

/**
 * Parses IPv4 like inet_aton(3) (`127.1`, `0177.0.0.1`), or IPv6; ignores a zone (`%eth0`). Undefined for other text.
 */
export function parseIpAddress(text: string): IpAddress | undefined {
  const value = text.includes(':') ? ipv6(text.replace(/%.*$/s, '')) : ipv4(text);
  return value === undefined ? undefined : { family: text.includes(':') ? 6 : 4, value };
}

function ipv4(text: string): bigint | undefined {
  const parts = text.split('.');
  if (parts.length > 4 || !parts.every((part) => /^(0x[0-9a-f]{1,16}|\d{1,16})$/i.test(part)))
    return undefined;
  if (parts.some((part) => /^0\d*[89]/.test(part))) return undefined;
  const numbers = parts.map((part) => BigInt(/^0\d/.test(part) ? `0o${part.slice(1)}` : part));
  const last = numbers.pop() ?? 0n;
  if (numbers.some((number) => number > 255n) || last >= 1n << BigInt(8 * (4 - numbers.length)))
    return undefined;
  return numbers.reduce((value, number, index) => value | (number << BigInt(24 - 8 * index)), last);
}

function ipv6(text: string): bigint | undefined {
  if (!isIPv6(text)) return undefined;
  const dotted = /[^:]*\.[^:]*$/.exec(text)?.[0];
  const embedded = dotted === undefined ? undefined : (ipv4(dotted) ?? 0n);
  const plain =
    embedded === undefined
      ? text
      : text.replace(/[^:]*$/, `${(embedded >> 16n).toString(16)}:${(embedded & 0xffffn).toString(16)}`);
  const [head = '', tail] = plain.split('::');
  const left = head.split(':').filter(Boolean);
  const right = (tail ?? '').split(':').filter(Boolean);
  const zeros = Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

/** Parses `10.0.0.0/8` or a single address; strictly, because it allows access. */
export function parseIpRange(text: string): IpRange | undefined {
  const [, address = '', bits] = /^([^/%]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  if (!isIPv4(address) && !isIPv6(address)) return undefined;
  const parsed = parseIpAddress(address);
  if (parsed === undefined) return undefined;
  const length = bits === undefined ? WIDTH[parsed.family] : Number(bits);
  return length > WIDTH[parsed.family] ? undefined : { ...parsed, length };
}

export function isWithin({ family, value }: IpAddress, range: IpRange): boolean {
  const rest = BigInt(WIDTH[range.family] - range.length);
  return family === range.family && value >> rest === range.value >> rest;
}

/** Whether the address always belongs to this machine. */
export function isLoopback(address: IpAddress): boolean {
  const { family, value } = withoutCarrier(address);
  return family === 4 ? value >> 24n === 127n : value === 1n;
}

/** Whether a name or address always means this machine, like `localhost`. */
export function isLoopbackHost(text: string): boolean {
  const address = parseIpAddress(text);
  return address === undefined ? text.toLowerCase() === 'localhost' : isLoopback(address);
}

/** IPv6 prefixes followed by the 32 bits of an IPv4 address. */
const CARRIERS: readonly IpAddress['value'][] = [
  // IPv4-mapped and IPv4-compatible (RFC 4291 2.5.5), IPv4-translated (RFC 2765 2.1), NAT64 (RFC 6052 2.1, RFC 8215).
  0xffffn << 32n,
  0n,
  0xffffn << 48n,
  0x64_ff9bn << 96n,
  0x64_ff9b_0001n << 80n,
];
const LOW = 0xffff_ffffn;

/** The embedded IPv4 address, or the address itself. */
export function withoutCarrier(address: IpAddress): IpAddress {
  const { family, value } = address;
  // :: and ::1 are IPv6's own.
  if (family === 4 || value <= 1n) return address;
  return CARRIERS.includes(value - (value & LOW)) ? { family: 4, value: value & LOW } : address;
}

/** IPv4 in dotted form, IPv6 with all eight groups. */
export function formatIpAddress({ family, value }: IpAddress): string {
  const [parts, bits] = family === 4 ? [4, 8n] : [8, 16n];
  const all = Array.from({ length: parts }, (_, index) =>
    ((value >> (bits * BigInt(parts - 1 - index))) & ((1n << bits) - 1n)).toString(family === 4 ? 10 : 16),
  );
  return all.join(family === 4 ? '.' : ':');
}

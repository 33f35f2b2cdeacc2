import { type IpAddress, type IpRange, isWithin, parseIpRange, withoutCarrier } from '../input/ip-address.js';

export interface RealNetwork {
  permits(address: IpAddress, port: number): boolean;
}

export interface Permission {
  readonly range: IpRange;
  readonly port: number | undefined;
}

/** Never another machine, or not a nameable one: this host, loopback, link-local, multicast, reserved, cloud metadata. */
const NEVER = [
  '0.0.0.0/8',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '224.0.0.0/4',
  '240.0.0.0/4',
  '::/128',
  '::1/128',
  'fe80::/10',
  'ff00::/8',
  // Metadata of EC2, Google Cloud, Azure, Alibaba Cloud and Oracle Cloud that is not link-local.
  'fd00:ec2::254/128',
  'fd20:ce::254/128',
  '168.63.129.16/32',
  '100.100.100.200/32',
  '192.0.0.192/32',
].flatMap((text) => parseIpRange(text) ?? []);

/**
 * Parses `192.0.2.7`, `192.0.2.0/24`, `192.0.2.7:443`, `2001:db8::/32`, `[2001:db8::7]:443`; returns errors as text.
 */
export function parsePermission(text: string): Permission | string {
  const [, bracketed, plain, given] = /^(?:\[([^\]]+)\]|([^:]+))(?::(\d{1,5}))?$/.exec(text) ?? [];
  const port = given === undefined ? undefined : Number(given);
  const range = parseIpRange(bracketed ?? plain ?? text);
  if (range === undefined || withoutCarrier(range) !== range || port === 0 || (port ?? 1) > 65_535)
    return 'expected an address or a range of addresses, with a port or without, as in 192.0.2.7, 192.0.2.0/24:443 or [2001:db8::7]:443';
  const never = NEVER.some((each) => each.length <= range.length && isWithin(range, each));
  return never
    ? 'loopback, link-local, multicast and cloud metadata addresses are never reached: name the address of another machine'
    : { range, port };
}

export function createRealNetwork(permissions: readonly Permission[]): RealNetwork {
  return {
    permits: (address, port) =>
      !NEVER.some((each) => isWithin(address, each)) &&
      permissions.some((one) => isWithin(address, one.range) && (one.port ?? port) === port),
  };
}

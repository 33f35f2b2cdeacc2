import { connect, type Socket } from 'node:net';
import { networkInterfaces } from 'node:os';
import type { Clock } from '../clock/clock.js';
import { type LoopbackSocket, NODE, socketError } from '../clock/network/loopback.js';
import {
  formatIpAddress,
  type IpAddress,
  isLoopback,
  isWithin,
  parseIpAddress,
  parseIpRange,
  withoutCarrier,
} from '../input/ip-address.js';
import type { RealNetwork } from './real-network.js';

export type Connection = Socket | LoopbackSocket;

export interface Network {
  /**
   * The signal aborts a pending connection. Rejects like a socket: ECONNREFUSED without a listener, ENETUNREACH for
   * an address outside this network, ENOTFOUND for an unknown name.
   */
  connect(host: string, port: number, signal: AbortSignal): Promise<Connection>;
}

export interface Services {
  /** Whether the name, for a pod of this namespace, belongs to a Service that selects pods. */
  has(name: string, namespace: string): boolean;
  /** Addresses of a name for a pod of this namespace; empty without such a Service. */
  resolve(name: string, namespace: string): readonly string[];
  /** Destination of a connection to a Service address; undefined if no Service has the address. */
  route(address: string, port: number): Route | undefined | Promise<Route>;
}

export interface Place {
  readonly address: string;
  readonly port: number;
}

export type Route = Place | 'refused';

const PODS = range('127.64.0.0/10');
const UNSPECIFIED = [range('0.0.0.0/8'), range('::/128')];

/** A simulated network, in addition to the ports that simulated processes open on its clock. */
export interface SimulatedNetworkOptions {
  readonly clock: Clock;
  /** Allowed addresses of other machines. Default: none; always none on virtual time. */
  readonly real?: RealNetwork | undefined;
  /** Addresses of the node, in addition to loopback and, in real time, this machine's. */
  readonly nodeAddresses?: readonly string[];
  /** Maps a pod's cluster address to the local one. Default: the same. */
  readonly localAddress?: ((address: string) => string) | undefined;
  /** Default: none. */
  readonly services?: Services | undefined;
}

interface Target {
  /** The calling pod itself, the node, a pod, or outside this network. */
  readonly kind: 'loopback' | 'node' | 'pod' | 'elsewhere';
  readonly address: IpAddress;
}

/**
 * Network of simulated nodes and their pods. Connections lead only to ports that simulated processes opened on the same
 * clock; this machine and others are reachable only if `real` permits it.
 */
export class SimulatedNetwork implements Network {
  readonly #options: SimulatedNetworkOptions;
  readonly #nodeAddresses: readonly IpAddress[];

  constructor(options: SimulatedNetworkOptions) {
    this.#options = options;
    this.#nodeAddresses = addresses(options.nodeAddresses ?? []);
  }

  /** `pod`: address of the calling pod, to which its loopback leads. Default: the node calls. */
  async connect(host: string, port: number, signal: AbortSignal, pod?: string): Promise<Connection> {
    const { clock, real, services } = this.#options;
    const place = this.#find(host);
    if (place === undefined)
      throw Object.assign(socketError('getaddrinfo', 'ENOTFOUND', ` ${host}`), { hostname: host });
    const { kind, address } = place;
    const text = formatIpAddress(address);
    if (kind === 'pod') return clock.loopback.connect(text, port);
    if (kind !== 'elsewhere')
      return clock.loopback.connect((kind === 'loopback' ? pod : undefined) ?? NODE, port);
    const route = await services?.route(text, port);
    if (route === 'refused') throw socketError('connect', 'ECONNREFUSED', ` ${text}:${port}`);
    if (route !== undefined) return clock.loopback.connect(route.address, route.port);
    if (clock.kind === 'real' && real?.permits(address, port)) return connectAway(text, port, signal);
    throw socketError('connect', 'ENETUNREACH', ` ${text}:${port}`);
  }

  /** Whether the name, for a pod of this namespace, belongs to a Service that selects pods. */
  hasService(name: string, namespace: string): boolean {
    return this.#options.services?.has(name, namespace) ?? false;
  }

  /** Addresses of a Service's name for a pod of this namespace. */
  resolve(name: string, namespace: string): readonly string[] {
    return this.#options.services?.resolve(name, namespace) ?? [];
  }

  /** Whether an address responds, as to a ping: the calling pod, the node, or a pod that `hasPod` knows. */
  reaches(host: string, hasPod: (address: string) => boolean): boolean {
    const place = this.#find(host);
    if (place === undefined || place.kind === 'elsewhere') return false;
    return place.kind !== 'pod' || hasPod(formatIpAddress(place.address));
  }

  /** Undefined for an unknown name: there is no DNS. */
  #find(host: string): Target | undefined {
    const given = parseIpAddress(host === '' || host.toLowerCase() === 'localhost' ? NODE : host);
    if (given === undefined) return undefined;
    const address = this.#local(withoutCarrier(given));
    const isIn = (ranges: readonly Parameters<typeof isWithin>[1][]) =>
      ranges.some((each) => isWithin(address, each));
    if (isIn([PODS])) return { kind: 'pod', address };
    if (isLoopback(address) || isIn(UNSPECIFIED)) return { kind: 'loopback', address };
    const isNode =
      has(this.#nodeAddresses, address) || (this.#options.clock.kind === 'real' && isOfThisMachine(address));
    return { kind: isNode ? 'node' : 'elsewhere', address };
  }

  #local(address: IpAddress): IpAddress {
    const { localAddress } = this.#options;
    if (localAddress === undefined) return address;
    return parseIpAddress(localAddress(formatIpAddress(address))) ?? address;
  }
}

/** This machine's network, for a kubelet on another runtime whose pods have real addresses. */
export const machineNetwork: Network = { connect: connectReally };

export function isPodAddress(text: string): boolean {
  const address = parseIpAddress(text);
  return address !== undefined && isWithin(address, PODS);
}

/** Connects to another machine. Drops a connection that ends at this machine before sending anything. */
async function connectAway(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = await connectReally(host, port, signal);
  const ends = addresses([socket.localAddress ?? '', socket.remoteAddress ?? '']).map(withoutCarrier);
  const [own, other] = ends;
  if (own !== undefined && other !== undefined && own.value !== other.value && !ends.some(isLoopback))
    return socket;
  socket.destroy();
  throw socketError('connect', 'ENETUNREACH', ` ${host}:${port}`);
}

function connectReally(host: string, port: number, signal: AbortSignal): Promise<Socket> {
  const socket = connect({ host, port, allowHalfOpen: true });
  return new Promise((resolve, reject) => {
    const stop = () => {
      socket.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', stop, { once: true });
    socket.once('connect', () => {
      signal.removeEventListener('abort', stop);
      resolve(socket);
    });
    socket.once('error', reject);
  });
}

const isOfThisMachine = (address: IpAddress): boolean =>
  has(
    addresses(Object.values(networkInterfaces()).flatMap((all = []) => all.map((one) => one.address))),
    address,
  );

const addresses = (texts: readonly string[]): readonly IpAddress[] =>
  texts.flatMap((text) => parseIpAddress(text) ?? []);

const has = (all: readonly IpAddress[], { family, value }: IpAddress): boolean =>
  all.some((one) => one.family === family && one.value === value);

function range(text: string) {
  const parsed = parseIpRange(text);
  if (parsed === undefined) throw new TypeError(`${text} is not a range of addresses`);
  return parsed;
}

import type { ContainerSpec } from '../types.js';

/** What one run of a handler found. `output` is shown in the event, at most 10 KiB of it. */
export interface Outcome {
  readonly result: 'success' | 'warning' | 'failure';
  readonly output: string;
}

const MAX_OUTPUT = 10 * 1024;

/** The handler found the container well. */
export const success = (output = ''): Outcome => outcome('success', output);
/** Well enough, with a reason to tell: counts as success, and is an event ProbeWarning (an HTTP redirect elsewhere). */
export const warning = (output: string): Outcome => outcome('warning', output);
/** The handler found the container unwell. A probe that can't be carried out throws instead. */
export const failure = (output: string): Outcome => outcome('failure', output);

/** An HTTP answer whose body did not come: of the probes that can't be carried out the one whose result is a failure. */
export class BrokenAnswer extends Error {}

function outcome(result: Outcome['result'], output: string): Outcome {
  return { result, output: Buffer.from(output).subarray(0, MAX_OUTPUT).toString().trimEnd() };
}

/** A number, or the name of one of the container's ports; throws as the kubelet does (probe/util.go). */
export function resolvePort(port: number | string, container: ContainerSpec): number {
  if (typeof port === 'number') return port;
  const named = container.ports.find(({ name }) => name === port)?.containerPort;
  const number = named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) throw new Error(`strconv.Atoi: parsing "${port}": invalid syntax`);
  if (number < 1 || number > 65_535) throw new Error(`invalid port number: ${number}`);
  return number;
}

/** `10.0.0.1:80`, `[::1]:80` */
export function hostPort(host: string, port: number): string {
  return host.includes(':') ? `[${host}]:${port}` : `${host}:${port}`;
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
};

/** A socket's error as Go tells it. */
export function socketError(error: unknown, address: string): string {
  const { code, message } = error as NodeJS.ErrnoException;
  const cause = CAUSES[code ?? ''];
  if (cause !== undefined) return `dial tcp ${address}: ${cause}`;
  if (code === 'ECONNRESET') {
    return message === 'socket hang up' ? 'EOF' : `read tcp ${address}: read: connection reset by peer`;
  }
  if (code === 'EPROTO' && message.includes('wrong version number')) {
    return 'http: server gave HTTP response to HTTPS client';
  }
  return message;
}

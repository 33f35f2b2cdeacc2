import type { ContainerSpec } from '../kubernetes/container.js';

/** The event shows at most 10 KiB of `output`. */
export interface ProbeOutcome {
  readonly result: 'success' | 'warning' | 'failure';
  readonly output: string;
}

const MAX_OUTPUT = 10 * 1024;

export const success = (output = ''): ProbeOutcome => outcome('success', output);
/** Success with a warning, such as an HTTP redirect to another host; records the event ProbeWarning. */
export const warning = (output: string): ProbeOutcome => outcome('warning', output);
/** The probe failed. A probe that cannot run throws instead. */
export const failure = (output: string): ProbeOutcome => outcome('failure', output);

/** An HTTP response without its body: the only error of a probe whose result is a failure. */
export class BrokenAnswer extends Error {}

function outcome(result: ProbeOutcome['result'], output: string): ProbeOutcome {
  return { result, output: Buffer.from(output).subarray(0, MAX_OUTPUT).toString().trimEnd() };
}

/** Resolves a number or the name of a container port; throws the kubelet's errors (probe/util.go). */
export function resolvePort(port: number | string, container: ContainerSpec): number {
  if (typeof port === 'number') return port;
  const named = container.ports.find(({ name }) => name === port)?.containerPort;
  const number = named ?? (/^\d+$/.test(port) ? Number(port) : undefined);
  if (number === undefined) throw new Error(`strconv.Atoi: parsing "${port}": invalid syntax`);
  if (number < 1 || number > 65_535) throw new Error(`invalid port number: ${number}`);
  return number;
}

const CAUSES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'connect: connection refused',
  EHOSTUNREACH: 'connect: no route to host',
  ENETUNREACH: 'connect: network is unreachable',
  ETIMEDOUT: 'connect: connection timed out',
};

/** Formats a socket error in Go's words. `local` is this end's address, if known. */
export function socketError(error: unknown, address: string): string {
  const { code, message, local } = error as NodeJS.ErrnoException & { readonly local?: string };
  const cause = CAUSES[code ?? ''];
  if (code === 'ENOTFOUND') return `dial tcp: lookup ${address.replace(/:\d+$/, '')}: no such host`;
  if (cause !== undefined) return `dial tcp ${address}: ${cause}`;
  if (code === 'ECONNRESET') {
    const ends = local === undefined ? address : `${local}->${address}`;
    return message === 'socket hang up' ? 'EOF' : `read tcp ${ends}: read: connection reset by peer`;
  }
  return isPlainAnswer(error) ? 'http: server gave HTTP response to HTTPS client' : message;
}

/** Whether a server replied in plain HTTP instead of TLS: Node shows it only in OpenSSL's text. */
export const isPlainAnswer = (error: unknown): boolean =>
  error instanceof Error &&
  'code' in error &&
  error.code === 'EPROTO' &&
  error.message.includes('wrong version number');

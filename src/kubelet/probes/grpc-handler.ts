import { Client, credentials, status as GrpcStatus, type ServiceError } from '@grpc/grpc-js';
import type { Clock } from '../../clock/clock.js';
import { formatDuration } from '../../input/duration.js';
import { exchange } from './in-flight.js';
import { failure, hostPort, type Outcome, success } from './outcome.js';

const CHECK = '/grpc.health.v1.Health/Check';
const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const SERVING = 1;

export interface GrpcCheck {
  readonly clock: Clock;
  readonly host: string;
  readonly port: number;
  readonly service: string;
  /** Milliseconds. */
  readonly timeout: number;
  /** `kube-probe/1.36` */
  readonly userAgent: string;
}

/** pkg/probe/grpc: the health protocol, version 1, without TLS. */
export async function checkGrpc(check: GrpcCheck): Promise<Outcome> {
  const { clock, timeout } = check;
  const address = hostPort(check.host, check.port);
  const client = new Client(address, credentials.createInsecure(), {
    'grpc.primary_user_agent': check.userAgent,
    'grpc.enable_retries': 0,
  });
  const begun = clock.elapsed();
  try {
    const connected = await exchange(clock, timeout, () => ready(client));
    const within = formatDuration(timeout);
    if (connected === undefined) {
      return failure(
        `timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`,
      );
    }
    const left = timeout - (clock.elapsed() - begun);
    const status = await exchange(clock, left, (signal) => ask(client, check.service, signal));
    if (status === undefined) return failure(`timeout: health rpc did not complete within ${within}`);
    if (status === SERVING) return success('service healthy');
    return failure(`service unhealthy (responded with "${STATUS_NAMES[status] ?? status}")`);
  } catch (error) {
    return failure(describe(error as ServiceError));
  } finally {
    client.close();
  }
}

function describe({ code, details }: ServiceError): string {
  return code === GrpcStatus.UNIMPLEMENTED
    ? `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${details}`
    : `error: health rpc probe failed: rpc error: code = ${codeName(code)} desc = ${details}`;
}

/** `NOT_FOUND` as Go writes it: `NotFound`. */
const codeName = (code: number): string =>
  (GrpcStatus[code] ?? 'UNKNOWN')
    .toLowerCase()
    .replace(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

/** A refused connection is tried again until the time is up, as with a blocking dial. */
function ready(client: Client): Promise<true> {
  return new Promise((resolve, reject) => {
    client.waitForReady(Number.POSITIVE_INFINITY, (error) => (error ? reject(error) : resolve(true)));
  });
}

function ask(client: Client, service: string, signal: AbortSignal): Promise<number> {
  return new Promise((resolve, reject) => {
    const call = client.makeUnaryRequest(CHECK, encodeRequest, decodeReply, service, (error, status) =>
      error ? reject(error) : resolve(status ?? 0),
    );
    signal.addEventListener('abort', () => call.cancel(), { once: true });
  });
}

/** HealthCheckRequest { string service = 1 } */
function encodeRequest(service: string): Buffer {
  const bytes = Buffer.from(service);
  return bytes.length === 0 ? bytes : Buffer.concat([Buffer.from([0x0a]), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  while (rest > 0x7f) {
    bytes.push((rest & 0x7f) | 0x80);
    rest >>>= 7;
  }
  return Buffer.from([...bytes, rest]);
}

/** HealthCheckResponse { ServingStatus status = 1 }; all its values fit in one byte. */
function decodeReply(bytes: Buffer): number {
  return bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0;
}

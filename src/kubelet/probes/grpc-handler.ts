import type { ClientHttp2Session } from 'node:http2';
import { formatDuration } from '../../base/input/duration.js';
import { formatSocketAddress } from '../../base/input/socket-address.js';
import type { CallStatus } from '../../cri/status-code.js';
import { Code } from '../../cri/status-code.js';
import { errorText, isDeadlineExceeded } from '../client/errors.js';
import { type Dialer, dial, untilQuiet } from './dial.js';
import { exchange } from './exchange.js';
import { callOnce, openSession } from './health-call.js';
import { failure, type ProbeOutcome, success } from './outcome.js';

const CHECK = '/grpc.health.v1.Health/Check';
const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'];
const SERVING = 1;

/** Delays between connection attempts, in ms (gRPC's doc/connection-backoff.md, without jitter). */
const BACK_OFF = { first: 1000, factor: 1.6, most: 120_000 } as const;

/** grpc.health.v1.Health/Check (probe/grpc/grpc.go). */
export interface GrpcCheck extends Dialer {
  readonly host: string;
  readonly port: number;
  readonly service: string;
  /** In ms. */
  readonly timeout: number;
  /** `kube-probe/1.36` */
  readonly userAgent: string;
}

/** pkg/probe/grpc: health protocol version 1, without TLS. */
export async function checkGrpc(check: GrpcCheck): Promise<ProbeOutcome> {
  const address = formatSocketAddress(check);
  const within = formatDuration(check.timeout);
  let isConnected = false;
  const status = await exchange(check.clock, check.timeout, async (signal) => {
    const connection = await connectUntilReady(check, signal);
    isConnected = true;
    return ask(connection, check);
  });
  if (status !== undefined && !isDeadlineExceeded(status)) return outcomeOf(status);
  return isConnected
    ? failure(`timeout: health rpc did not complete within ${within}`)
    : failure(`timeout: failed to connect service "${address}" within ${within}: context deadline exceeded`);
}

function outcomeOf(answer: CallStatus | Serving): ProbeOutcome {
  if ('code' in answer) return failure(describe(answer));
  if (answer.serving === SERVING) return success('service healthy');
  return failure(`service unhealthy (responded with "${STATUS_NAMES[answer.serving] ?? answer.serving}")`);
}

const describe = (status: CallStatus): string =>
  status.code === Code.UNIMPLEMENTED
    ? `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${status.details}`
    : `error: health rpc probe failed: ${errorText(status)}`;

/** Retries a refused connection until the timeout, like a blocking dial. */
async function connectUntilReady(check: GrpcCheck, signal: AbortSignal): Promise<ClientHttp2Session> {
  for (let delay: number = BACK_OFF.first; ; delay = Math.min(delay * BACK_OFF.factor, BACK_OFF.most)) {
    const connection = await connect(check, signal).catch(() => undefined);
    if (connection !== undefined) return connection;
    await check.clock.sleep(delay, signal);
  }
}

/** Resolves when the server has sent its first frame. */
async function connect(check: GrpcCheck, signal: AbortSignal): Promise<ClientHttp2Session> {
  const { host, port } = check;
  const opening = openSession(formatSocketAddress(check), await dial(check, host, port, signal));
  void untilQuiet(check.clock, opening);
  return opening;
}

interface Serving {
  readonly serving: number;
}

async function ask(session: ClientHttp2Session, check: GrpcCheck): Promise<CallStatus | Serving> {
  const answer = callOnce(session, {
    authority: formatSocketAddress(check),
    path: CHECK,
    userAgent: check.userAgent,
    message: encodeRequest(check.service),
  });
  void untilQuiet(check.clock, answer);
  const { status, reply } = await answer;
  return status.code === Code.OK ? { serving: decodeReply(reply) } : status;
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

/** HealthCheckResponse { ServingStatus status = 1 }; every value fits in one byte. */
function decodeReply(bytes: Buffer): number {
  return bytes[0] === 0x08 ? (bytes[1] ?? 0) : 0;
}

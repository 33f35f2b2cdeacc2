import {
  decodeService,
  encodeStatus,
  healthPath,
  NOT_SERVING,
  SERVING,
} from '../../../base/grpc-health/messages.js';
import { messageOf } from '../../../base/input/error-text.js';
import type { ExitStatus, Process } from '../../process/process.js';
import { forever } from '../kit/io.js';
import { type GrpcAnswer, listenGrpc } from '../network/grpc-server.js';
import { type Certificate, plain, serveHttp } from '../network/http-server.js';
import { logTo } from './go-log.js';

export interface HealthServer {
  readonly port: number;
  readonly httpPort: number;
  /** The service that it reports; others are NOT_FOUND. */
  readonly service: string;
  /** Seconds until it reports NOT_SERVING; negative for never. */
  readonly delay: number;
  readonly certificate: Certificate | undefined;
}

const NOT_FOUND = 5;
const UNIMPLEMENTED = 12;

/** `agnhost grpc-health-checking`: gRPC's health protocol, and two HTTP paths that set its reply. */
export async function grpcHealthChecking(process: Process, server: HealthServer): Promise<ExitStatus> {
  const began = process.clock.elapsed();
  const age = () => (process.clock.elapsed() - began) / 1000;
  let forced: boolean | undefined;
  await logTo(process, `Http server starting to listen on :${server.httpPort}`);
  await serveHttp(process, server.httpPort, async ({ path }) => {
    if (path !== '/make-serving' && path !== '/make-not-serving') return plain(404, '404 page not found\n');
    forced = path === '/make-serving';
    await logTo(process, `Mark as ${forced ? 'healthy' : 'unhealthy'}`);
    return plain(200, `${age()}s`);
  });
  const check = async (path: string, message: Buffer): Promise<GrpcAnswer> => {
    if (path !== healthPath('Check')) return { code: UNIMPLEMENTED, text: 'unimplemented' };
    await logTo(process, `Serving the Check request for health check, started ${age()}s ago`);
    if (decodeService(message) !== server.service) return { code: NOT_FOUND, text: 'unknown service' };
    const isWell = forced ?? (server.delay < 0 || age() < server.delay);
    return { reply: encodeStatus(isWell ? SERVING : NOT_SERVING) };
  };
  await logTo(process, `gRPC server starting to listen on :${server.port}`);
  try {
    await listenGrpc(process, server.port, check, server.certificate);
  } catch (error) {
    process.killed.throwIfAborted();
    await logTo(process, `Error while starting the listening service ${messageOf(error)}`);
    return { code: 1 };
  }
  return forever(process);
}

import type { Server, ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js';
import {
  decodeService,
  encodeStatus,
  healthPath,
  NOT_SERVING,
  SERVICE_UNKNOWN,
  SERVING,
} from '../../base/grpc-health/messages.js';
import { shortened } from '../../cri/shortened.js';
import { Code } from '../../cri/status-code.js';

const services = ['', 'runtime.v1.RuntimeService', 'runtime.v1.ImageService'];

/** A request. grpc-js treats a falsy one, such as an empty text, as missing. */
interface Asked {
  readonly service: string;
}

const decode = (bytes: Buffer): Asked => ({ service: decodeService(bytes) });

export interface Health {
  /** All services report NOT_SERVING from now on; watchers learn it immediately. */
  shutdown(): void;
}

/** The standard health service (grpc.health.v1); messages with one field each need no generated code. */
export function addHealth(grpc: Server): Health {
  let overall = SERVING;
  const watchers = new Set<ServerWritableStream<Asked, number>>();
  const statusOf = (service: string) => (services.includes(service) ? overall : SERVICE_UNKNOWN);

  const check = (call: ServerUnaryCall<Asked, number>, respond: sendUnaryData<number>): void => {
    const status = statusOf(call.request.service);
    if (status === SERVICE_UNKNOWN)
      respond({ code: Code.NOT_FOUND as number, details: unknown(call.request.service) });
    else respond(null, status);
  };
  const watch = (call: ServerWritableStream<Asked, number>): void => {
    watchers.add(call);
    call.once('cancelled', () => watchers.delete(call));
    call.write(statusOf(call.request.service));
  };

  grpc.register(healthPath('Check'), check, encodeStatus, decode, 'unary');
  grpc.register(healthPath('Watch'), watch, encodeStatus, decode, 'serverStream');
  return {
    shutdown: () => {
      overall = NOT_SERVING;
      for (const call of watchers) {
        call.write(statusOf(call.request.service));
        call.end();
      }
    },
  };
}

/** Characters of a service's name in the error, which travels in a header. */
const LONGEST_NAME = 256;

const unknown = (service: string): string =>
  `no service ${JSON.stringify(shortened(service, LONGEST_NAME))}; there are ${services.slice(1).join(', ')}, and "" for all`;

import { request } from 'node:http';
import { request as secureRequest } from 'node:https';
import { ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { listenOn } from '../../../adapters/memory/pods/network.js';
import { createRig, type RigOptions } from './command-rig.js';

export interface Reply {
  readonly code: number | undefined;
  readonly type: string | undefined;
  readonly location: string | undefined;
  /** What the header says, in bytes. */
  readonly size: number;
  readonly body: string;
}

/** For tests: a rig whose processes listen on free loopback ports, mapped to their own ports. */
export function serverRig(options: RigOptions = {}) {
  const ports = new Map<number, number>();
  const rig = createRig({
    ...options,
    listen: async (clock, port, accept) => {
      const listener = await listenOn(clock, [['127.0.0.1', 0]], accept);
      ports.set(port, listener.port);
      return listener;
    },
  });
  const send = (ask: typeof request, port: number, path: string, method: string): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const call = ask({
        host: '127.0.0.1',
        port: ports.get(port),
        path,
        method,
        agent: false,
        ...{ rejectUnauthorized: false },
      });
      call.on('error', reject).on('response', async (response) => {
        const chunks = await response.toArray();
        const { 'content-type': type, 'content-length': length, location } = response.headers;
        resolve({
          code: response.statusCode,
          type,
          location,
          size: Number(length),
          body: Buffer.concat(chunks).toString(),
        });
      });
      call.end();
    });
  const fetch = (port: number, path: string, method = 'GET') => send(request, port, path, method);
  const fetchSecurely = (port: number, path: string) => send(secureRequest, port, path, 'GET');
  const checkHealth = (port: number, service: string, isSecure: boolean) =>
    askHealth(`127.0.0.1:${ports.get(port)}`, service, isSecure);
  return { ...rig, ports, fetch, fetchSecurely, checkHealth };
}

/** `SERVING`, `NOT_SERVING`, or code and text of an error. */
function askHealth(target: string, service: string, isSecure: boolean): Promise<string> {
  const trusting = () => ChannelCredentials.createSsl(null, null, null, { rejectUnauthorized: false });
  const client = new Client(target, isSecure ? trusting() : credentials.createInsecure());
  const encode = (text: string) => Buffer.concat([Buffer.from([0x0a, text.length]), Buffer.from(text)]);
  return new Promise((resolve) => {
    const take = (error: ServiceError | null, reply?: Buffer) => {
      client.close();
      if (error) resolve(`${status[error.code]}: ${error.details}`);
      else resolve(['UNKNOWN', 'SERVING', 'NOT_SERVING'][reply?.[1] ?? 0] ?? '');
    };
    client.makeUnaryRequest('/grpc.health.v1.Health/Check', encode, (bytes) => bytes, service, take);
  });
}

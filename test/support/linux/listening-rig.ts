import { request } from 'node:http';
import { type AddressInfo, createServer } from 'node:net';
import { connect as startTls } from 'node:tls';
import { ChannelCredentials, Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import { NODE } from '../../../src/base/clock/network/loopback.js';
import { createRig, type RigOptions } from './command-rig.js';
import { someView } from './container-files.js';

export interface Reply {
  readonly code: number | undefined;
  readonly type: string | undefined;
  readonly location: string | undefined;
  /** The header's size, in bytes. */
  readonly size: number;
  readonly body: string;
}

/** A rig with clients for the servers of its processes. */
export function serverRig(options: RigOptions = {}) {
  const rig = createRig(options);
  const { loopback } = rig.clock;
  const address = (options.view?.ips ?? someView.ips)[0] ?? NODE;
  const connect = (port: number) => loopback.connect(address, port);
  const send = async (port: number, path: string, method: string, isSecure = false): Promise<Reply> => {
    const socket = connect(port);
    const connection = isSecure ? startTls({ socket, rejectUnauthorized: false }) : socket;
    return new Promise((resolve, reject) => {
      const call = request({ path, method, createConnection: () => connection });
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
  };
  const fetch = (port: number, path: string, method = 'GET') => send(port, path, method);
  const fetchSecurely = (port: number, path: string) => send(port, path, 'GET', true);
  const checkHealth = async (port: number, service: string, isSecure: boolean) => {
    const server = createServer((client) => client.pipe(connect(port)).pipe(client));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port: outside } = server.address() as AddressInfo;
    return askHealth(`127.0.0.1:${outside}`, service, isSecure).finally(() => server.close());
  };
  return { ...rig, connect, fetch, fetchSecurely, checkHealth };
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

import { request } from 'node:http';
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
  const fetch = (port: number, path: string, method = 'GET'): Promise<Reply> =>
    new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port: ports.get(port), path, method, agent: false });
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
  return { ...rig, ports, fetch };
}

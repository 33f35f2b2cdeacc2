// worker.ts unary LOAD | lifecycles SOCKET COUNT WIDTH: calls a server from a separate process and prints the rate.
import { Client, credentials } from '@grpc/grpc-js';
import { connectCri } from '../../src/cri/client/connect.js';
import { inParallel, livePod } from './support/pods.js';

const [mode, ...given] = process.argv.slice(2);
const rate = mode === 'unary' ? await driveUnary(given[0] ?? '') : await driveLifecycles(given);
console.log(rate);

/** Sends and receives bytes without decoding. */
async function driveUnary(json: string): Promise<number> {
  const { socket, path, request, calls, connections, streams } = JSON.parse(json);
  const bytes = Buffer.from(request, 'base64');
  const same = (message: Buffer): Buffer => message;
  const clients = Array.from(
    { length: connections },
    () =>
      new Client(`unix:${socket}`, credentials.createInsecure(), {
        'grpc.use_local_subchannel_pool': 1,
        'grpc.max_receive_message_length': -1,
      }),
  );
  const call = (index: number) =>
    new Promise<void>((resolve, reject) =>
      (clients[index % connections] as Client).makeUnaryRequest(path, same, same, bytes, (error) =>
        error ? reject(error) : resolve(),
      ),
    );
  const begin = performance.now();
  await inParallel(calls, connections * streams, call);
  const seconds = (performance.now() - begin) / 1000;
  for (const client of clients) client.close();
  return calls / seconds;
}

/** Pod lifecycles per second. */
async function driveLifecycles([socket = '', count = '0', width = '0']: string[]): Promise<number> {
  const cri = connectCri(socket);
  const begin = performance.now();
  await inParallel(Number(count), Number(width), (index) => livePod(cri, `life-${process.pid}-${index}`));
  const seconds = (performance.now() - begin) / 1000;
  cri.close();
  return Number(count) / seconds;
}

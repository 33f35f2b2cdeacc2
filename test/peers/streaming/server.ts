/**
 * A CRI endpoint that has nothing but Exec, Attach and PortForward, with the machine's own processes and ports
 * behind Mockri's streaming server. Prints one line with its pid once it listens.
 *
 * usage: tsx server.ts SOCKET
 */
import { spawn } from 'node:child_process';
import { connect } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import {
  Server,
  ServerCredentials,
  type ServiceError,
  status,
  type UntypedServiceImplementation,
} from '@grpc/grpc-js';
import { createRealClock } from '../../../src/clock/real-clock.js';
import {
  ImageServiceService,
  type RuntimeServiceServer,
  RuntimeServiceService,
} from '../../../src/cri/gen/runtime/v1/api.js';
import type { ProcessStreams } from '../../../src/engine/backend.js';
import type { StreamingHandler, StreamSelection } from '../../../src/engine/streaming.js';
import { startStreamingServer } from '../../../src/streaming/server.js';

const [socket] = process.argv.slice(2);
if (socket === undefined) throw new Error('usage: tsx server.ts SOCKET');

/** Sessions under way; `exec count` prints how many others there are. */
let running = 0;

const handler: StreamingHandler = {
  exec: ({ command, tty }, streams, signal) => counted(() => execute(command, tty, streams, signal)),
  attach: async ({ tty }, streams, signal) => {
    await counted(() => execute(['cat'], tty, streams, signal));
  },
  portForward: (_sandboxId, port, connection, signal) => counted(() => forward(port, connection, signal)),
};

async function counted<T>(task: () => Promise<T>): Promise<T> {
  running++;
  try {
    return await task();
  } finally {
    running--;
  }
}

async function execute(
  command: readonly string[],
  tty: boolean,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<number> {
  if (command[0] === 'count') {
    streams.stdout?.write(String(running - 1));
    return 0;
  }
  if (command[0] === 'sizes') {
    for await (const { width, height } of streams.resize ?? []) {
      streams.stdout?.write(`${width}x${height}\n`);
      if (width === 132) break;
    }
    return 0;
  }
  const [program = '', ...rest] = tty ? ['script', '-qec', command.join(' '), '/dev/null'] : command;
  const child = spawn(program, rest, { signal, killSignal: 'SIGKILL' });
  const copies = [
    streams.stdin && pipeline(streams.stdin, child.stdin).catch(() => {}),
    streams.stdout && pipeline(child.stdout, streams.stdout, { end: false }),
    streams.stderr && pipeline(child.stderr, streams.stderr, { end: false }),
  ];
  if (streams.stdin === undefined) child.stdin.end();
  const code = await new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (exitCode) => resolve(exitCode ?? 137));
  });
  await Promise.all(copies.slice(1));
  return code;
}

async function forward(port: number, connection: Duplex, signal: AbortSignal): Promise<void> {
  const remote = connect({ host: '127.0.0.1', port, allowHalfOpen: true });
  await new Promise((resolve, reject) => {
    remote.once('connect', resolve);
    remote.once('error', reject);
  });
  await Promise.all([pipeline(connection, remote, { signal }), pipeline(remote, connection, { signal })]);
}

const streaming = await startStreamingServer({ handler, clock: createRealClock() });
const selection = ({ stdin, stdout, stderr, tty }: StreamSelection) => ({ stdin, stdout, stderr, tty });
const answer = <Reply>(
  make: () => Reply,
  callback: (error: Partial<ServiceError> | null, reply?: Reply) => void,
) => {
  try {
    callback(null, make());
  } catch (error) {
    callback({ code: status.RESOURCE_EXHAUSTED, details: String(error) });
  }
};

const service: Partial<RuntimeServiceServer> = {
  version: (_call, callback) =>
    callback(null, {
      version: '0.1.0',
      runtimeName: 'streaming',
      runtimeVersion: '1.0.0',
      runtimeApiVersion: 'v1',
    }),
  exec: ({ request: { containerId, cmd, ...rest } }, callback) =>
    answer(() => ({ url: streaming.execUrl({ ...selection(rest), containerId, command: cmd }) }), callback),
  attach: ({ request: { containerId, ...rest } }, callback) =>
    answer(() => ({ url: streaming.attachUrl({ ...selection(rest), containerId }) }), callback),
  portForward: ({ request: { podSandboxId, port } }, callback) =>
    answer(() => ({ url: streaming.portForwardUrl({ sandboxId: podSandboxId, ports: port }) }), callback),
};

const server = new Server();
server.addService(RuntimeServiceService, service as UntypedServiceImplementation);
// crictl asks for it before anything else.
server.addService(ImageServiceService, {
  imageFsInfo: (_call: unknown, callback: (error: null, reply: object) => void) =>
    callback(null, { imageFilesystems: [], containerFilesystems: [] }),
});
server.bindAsync(`unix:${socket}`, ServerCredentials.createInsecure(), (error) => {
  if (error) throw error;
  console.log(process.pid);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type Dockerode from 'dockerode';
import type { Clock } from '../../../src/base/clock/clock.js';
import { CriError } from '../../../src/cri/errors.js';
import { messageOf } from '../errors.js';
import { addressesOf } from '../pods/docker-sandbox.js';

/** Runs in the pod's network namespace: connects standard input and output to the port. */
const RELAY = `
const socket = require('net').connect({ port: Number(process.argv[1]), host: 'localhost', allowHalfOpen: true });
socket.on('connect', () => { process.stderr.write('+'); process.stdin.pipe(socket).pipe(process.stdout); });
socket.on('error', (error) => { process.stderr.write(error.message); process.exit(1); });
`;

/** Connects to a port at a pod's address, or to a loopback port within its network namespace, which requires root. */
export async function forwardPort(
  clock: Clock,
  sandbox: Dockerode.Container,
  port: number,
  connection: Duplex,
  signal: AbortSignal,
): Promise<void> {
  const info = await sandbox.inspect();
  const [address = '127.0.0.1'] = addressesOf(info);
  const target = await open(address, port, info.State.Pid);
  const end = () => {
    target.destroy();
    connection.destroy();
  };
  signal.addEventListener('abort', end, { once: true });
  try {
    // Each direction ends separately: a client may stop sending and continue to read.
    const directions = [pipeline(connection, target), pipeline(target, connection)];
    await clock.idle(Promise.allSettled(directions));
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}

async function open(address: string, port: number, pid: number): Promise<Duplex> {
  const socket = connect({ host: address, port, allowHalfOpen: true });
  try {
    await once(socket, 'connect');
    return socket;
  } catch (error) {
    const relay = await enter(pid, port);
    if (relay !== undefined) return relay;
    throw new CriError(
      'unavailable',
      `port ${port} of the pod can't be reached at ${address}: ${messageOf(error)}`,
    );
  }
}

async function enter(pid: number, port: number): Promise<Duplex | undefined> {
  const args = ['--target', String(pid), '--net', '--', process.execPath, '-e', RELAY, String(port)];
  const child = spawn('nsenter', args, { stdio: ['pipe', 'pipe', 'pipe'] });
  const failed = once(child, 'error').then(() => undefined);
  const said = once(child.stderr, 'data').then(
    ([text]) => String(text),
    () => undefined,
  );
  const ended = once(child, 'close').then(
    () => undefined,
    () => undefined,
  );
  if ((await Promise.race([said, failed, ended])) !== '+') {
    child.kill('SIGKILL');
    return undefined;
  }
  const duplex = Duplex.from({ readable: child.stdout, writable: child.stdin });
  duplex.once('close', () => child.kill('SIGKILL'));
  return duplex;
}

import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { ProcessStreams } from '../../../src/runtime/engine/backend.js';
import type { ExecSession, StreamingHandler } from '../../../src/runtime/engine/streaming.js';

export interface TestHandler extends StreamingHandler {
  /** Number of commands and connections that have not ended. */
  running: number;
}

type Command = (streams: ProcessStreams, signal: AbortSignal) => Promise<number>;

/** Runs the given commands by name, and echoes forwarded ports (port 1 fails). */
export function testHandler(commands: Record<string, Command> = {}): TestHandler {
  const all: Record<string, Command> = { echo, cat, fail, broken, hang, sizes, ...commands };
  const handler: TestHandler = {
    running: 0,
    newestSubprotocols: true,
    exec: (session, streams, signal) => counted(() => run(session, streams, signal)),
    attach: (_session, streams, signal) =>
      counted(async () => {
        await cat(streams, signal);
      }),
    portForward: (_sandboxId, port, connection, signal) => counted(() => forward(port, connection, signal)),
  };
  const counted = async <T>(task: () => Promise<T>): Promise<T> => {
    handler.running++;
    try {
      return await task();
    } finally {
      handler.running--;
    }
  };
  const run = ({ command }: ExecSession, streams: ProcessStreams, signal: AbortSignal) => {
    const named = all[command[0] ?? ''];
    if (named === undefined) throw new Error(`no such command: ${command[0]}`);
    return named(streams, signal);
  };
  return handler;
}

const echo: Command = async ({ stdout, stderr }) => {
  stdout?.write('to stdout');
  stderr?.write('to stderr');
  return 0;
};

const cat: Command = async ({ stdin, stdout }, signal) => {
  if (stdin !== undefined && stdout !== undefined) await pipeline(stdin, stdout, { end: false, signal });
  return 0;
};

const fail: Command = async () => 3;

const broken: Command = async () => {
  throw new Error('the process would not start');
};

const hang: Command = (_streams, signal) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

/** Prints the first two terminal sizes. */
const sizes: Command = async ({ resize, stdout }) => {
  let seen = 0;
  for await (const { width, height } of resize ?? []) {
    stdout?.write(`${width}x${height};`);
    if (++seen === 2) break;
  }
  return 0;
};

async function forward(port: number, connection: Duplex, signal: AbortSignal): Promise<void> {
  if (port === 1) throw new Error('connection refused');
  await pipeline(connection, connection, { signal });
}

export const EXEC = { containerId: 'c', stdin: false, stdout: true, stderr: true, tty: false };

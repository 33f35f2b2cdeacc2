import { execFile, execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { script, startNode } from './child.js';

export interface Load {
  readonly socket: string;
  /** Path of the RPC, such as /runtime.v1.RuntimeService/Version. */
  readonly path: string;
  /** The encoded request. */
  readonly request: Uint8Array;
  readonly calls: number;
  readonly connections: number;
  /** Parallel calls per connection. */
  readonly streams: number;
}

/** Calls per second after a warm-up. */
export type Drive = (load: Load) => Promise<number>;

/** h2load if installed, since no Node client is as fast as the server; otherwise a separate Node process. */
export function chooseDriver(): { readonly name: string; readonly drive: Drive } {
  const found = hasH2load();
  const driver = found ? driveWithH2load : driveWithNode;
  return {
    name: found
      ? 'h2load'
      : 'a grpc-js client (h2load, of nghttp2-client, is missing: the client is the limit)',
    drive: async (load) => {
      await driver({ ...load, calls: Math.ceil(load.calls / 4) });
      return driver(load);
    },
  };
}

function hasH2load(): boolean {
  try {
    execFileSync('h2load', ['--version'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

async function driveWithH2load({
  socket,
  path,
  request,
  calls,
  connections,
  streams,
}: Load): Promise<number> {
  const body = `${socket}.request`;
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(request.length, 1);
  await writeFile(body, Buffer.concat([prefix, request]));
  const counts = ['-n', calls, '-c', connections, '-m', streams, '-w', 24, '-W', 24].map(String);
  const headers = ['-H', 'content-type:application/grpc', '-H', 'te:trailers'];
  const args = [...counts, ...headers, '-d', body, '-B', `unix:${socket}`, `http://localhost${path}`];
  const { stdout } = await promisify(execFile)('h2load', args);
  const [, rate] = /finished in .*?, ([\d.]+) req\/s/.exec(stdout) ?? [];
  const [, succeeded] = /(\d+) succeeded/.exec(stdout) ?? [];
  if (rate === undefined || Number(succeeded) !== calls)
    throw new Error(`calls of ${path} failed:\n${stdout}`);
  return Number(rate);
}

async function driveWithNode(load: Load): Promise<number> {
  const given = { ...load, request: Buffer.from(load.request).toString('base64') };
  const child = await startNode(script('worker.ts', 'unary', JSON.stringify(given)));
  return Number(child.firstLine);
}

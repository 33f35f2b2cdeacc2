import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type CriConnection, connectCri } from '../../../src/cri/client/connect.js';
import type { Prepared } from '../bare.js';
import { type Child, script, startNode } from './child.js';

/** A server under load: the real one, or the bare one for comparison. */
export interface Target {
  readonly socket: string;
  readonly child: Child;
  stop(): Promise<void>;
}

export interface RealServer extends Target {
  readonly cri: CriConnection;
  /** Memory in use after a full garbage collection, in bytes. */
  memory(): Promise<number>;
}

export interface ServerFactory {
  /** The real server: runs `program` with `--listen` and the flags. */
  real(...flags: readonly string[]): Promise<RealServer>;
  /** The real server as users start it, without the probe that measures memory. Resolves when it is ready. */
  plain(): Promise<Child>;
  /** A grpc-js server that does nothing but return these messages. */
  bare(prepared: Prepared): Promise<Target>;
  /** The runtime with the fault layer, or without it. */
  layer(layer: 'with' | 'without'): Promise<Target>;
  stopAll(): Promise<void>;
}

/** `program` is the server program for Node, with its arguments; sockets and files are created in `directory`. */
export function createServers(program: readonly string[], directory: string): ServerFactory {
  const running = new Set<Target>();
  let count = 0;
  const track = <T extends Target>(target: T): T => {
    running.add(target);
    return target;
  };

  const real = async (...flags: readonly string[]): Promise<RealServer> => {
    const socket = join(directory, `real-${++count}.sock`);
    const probe = new URL('../memory-probe.mjs', import.meta.url).href;
    const args = ['--expose-gc', '--import', probe, ...program, '--listen', `unix://${socket}`];
    args.push('--control', '127.0.0.1:0', ...flags);
    const child = await startNode(args, true);
    const cri = connectCri(socket);
    return track({
      socket,
      child,
      cri,
      memory: () =>
        new Promise<number>((resolve) => {
          child.process.once('message', (bytes) => resolve(Number(bytes)));
          child.process.send('memory');
        }),
      stop: async () => {
        cri.close();
        await child.stop();
      },
    });
  };

  const plain = (): Promise<Child> => {
    const socket = join(directory, `plain-${++count}.sock`);
    return startNode([...program, '--listen', `unix://${socket}`, '--control', '127.0.0.1:0']);
  };

  const bare = async (prepared: Prepared): Promise<Target> => {
    const socket = join(directory, `bare-${++count}.sock`);
    const file = `${socket}.json`;
    await writeFile(file, JSON.stringify(prepared));
    const child = await startNode(script('bare.ts', socket, file));
    return track({ socket, child, stop: () => child.stop() });
  };

  const layer = async (layer: 'with' | 'without'): Promise<Target> => {
    const socket = join(directory, `layer-${++count}.sock`);
    const child = await startNode(script('layer.ts', socket, layer));
    return track({ socket, child, stop: () => child.stop() });
  };

  return {
    real,
    plain,
    bare,
    layer,
    stopAll: async () => {
      await Promise.all([...running].map((target) => target.stop()));
      running.clear();
    },
  };
}

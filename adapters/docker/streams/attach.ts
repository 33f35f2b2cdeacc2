import type { Duplex } from 'node:stream';
import type Dockerode from 'dockerode';
import type { ProcessStreams } from '../../../src/runtime/engine/backend.js';
import type { Context } from '../context.js';
import { toCriError } from '../errors.js';
import { destroyOnAbort, join, resize } from './streams.js';

export async function attachToContainer(
  { clock }: Context,
  container: Dockerode.Container,
  tty: boolean,
  streams: ProcessStreams,
  signal: AbortSignal,
): Promise<void> {
  try {
    const stdin = streams.stdin !== undefined;
    const wanted = { stream: true, hijack: true, stdin, stdout: true, stderr: true };
    const connection = (await container.attach(wanted)) as unknown as Duplex;
    const stop = destroyOnAbort(connection, signal);
    void resize(streams.resize, (size) => container.resize(size));
    await clock.idle(
      join(connection, streams, tty).catch((error: unknown) => {
        if (!signal.aborted) throw error;
      }),
    );
    stop();
  } catch (error) {
    throw toCriError(error, 'attach');
  }
}

import { once } from 'node:events';
import { createServer, request as send } from 'node:http';
import { pipeline } from 'node:stream';

/** Resolves when a request may reach Docker; undefined: immediately. `done` settles with Docker's reply. */
export type Delay = (path: string, body: string, done: Promise<void>) => Promise<void> | undefined;

/**
 * A proxy on the socket `path` in front of an engine. As Docker itself, it completes a delayed request even after its
 * client has gone. The returned function ends it.
 */
export async function startSlowDocker(path: string, engine: string, delay: Delay): Promise<() => void> {
  const proxy = createServer(async (incoming, outgoing) => {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const body = Buffer.concat(chunks);
    const { url = '', method, headers } = incoming;
    let answered = () => {};
    const done = new Promise<void>((resolve) => {
      answered = resolve;
    });
    const delayed = delay(url, body.toString(), done);
    await delayed;
    const forwarded = send({ socketPath: `${engine}/docker.sock`, path: url, method, headers });
    forwarded.end(body);
    if (delayed === undefined) outgoing.on('close', () => forwarded.destroy());
    forwarded.on('error', () => outgoing.destroy());
    forwarded.on('response', (reply) => {
      reply.on('end', answered);
      if (outgoing.destroyed) {
        reply.resume();
        return;
      }
      outgoing.writeHead(reply.statusCode ?? 500, reply.headers);
      outgoing.flushHeaders();
      // Also for an interrupted reply.
      pipeline(reply, outgoing, () => {});
    });
  });
  proxy.listen(path);
  await once(proxy, 'listening');
  return () => {
    proxy.closeAllConnections();
    proxy.close();
  };
}

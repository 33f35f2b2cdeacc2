import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';

export interface Egress {
  /** For the API server: its `--egress-selector-config-file`. */
  readonly file: string;
  close(): void;
}

/** Serves connections to an address such as `10.1.0.1:10250`; undefined if nothing does. */
export type Reach = (address: string) => ((connection: Socket) => void) | undefined;

/**
 * Where the API server connects to nodes, and to Services: it asks for their addresses over a socket with HTTP CONNECT
 * (KEP-1281). It finds the files of `directory` in `place`.
 */
export async function openEgress(
  clock: VirtualClock,
  { directory, place }: { readonly directory: string; readonly place: string },
  reach: Reach,
): Promise<Egress> {
  const server = createServer();
  server.on('connection', (socket) => clock.wires.follow(socket));
  server.on('connect', ({ url = '' }, socket: Socket, head: Buffer) => {
    socket.on('error', () => {});
    const serve = reach(url);
    if (serve === undefined) return void socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    socket.unshift(head);
    serve(socket);
  });
  await new Promise<void>((resolve, reject) =>
    server.once('error', reject).listen(join(directory, 'egress'), resolve),
  );
  const transport = { uds: { udsName: join(place, 'egress') } };
  const config = {
    apiVersion: 'apiserver.k8s.io/v1beta1',
    kind: 'EgressSelectorConfiguration',
    egressSelections: [{ name: 'cluster', connection: { proxyProtocol: 'HTTPConnect', transport } }],
  };
  writeFileSync(join(directory, 'egress.json'), JSON.stringify(config));
  return {
    file: join(place, 'egress.json'),
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

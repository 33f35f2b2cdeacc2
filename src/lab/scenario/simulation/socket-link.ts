import type { Clock } from '../../../base/clock/clock.js';
import { makeOwnDirectory } from '../../../base/host/own-directory.js';
import type { CriClient } from '../../../cri/client/client.js';
import { connectCri } from '../../../cri/client/connect.js';
import type { RestartableServer } from '../../../cri/restartable-server.js';
import type { NodeAssembly } from '../../../runtime/assembly/assembly.js';

export interface SocketLink {
  readonly cri: CriClient;
  readonly server: RestartableServer;
  readonly endpoint: string;
  close(): void;
}

/** Maximum real time for a client's first connection, in ms. */
const CONNECTING = 10_000;

/**
 * Connects the kubelet over its own unix socket. In real time a restart removes the socket. In virtual time it cannot,
 * because clients redial in real time: instead, every call is refused until the runtime is back.
 */
export async function connectOverSocket(assembly: NodeAssembly, clock: Clock): Promise<SocketLink> {
  const { socket, remove } = await makeOwnDirectory();
  const served = await assembly.serve({ listen: `unix://${socket}` });
  const server = clock.kind === 'virtual' ? assembly.connection : served;
  assembly.host.useServer(server);
  const cri = connectCri(served.endpoint, { clock });
  await cri.waitForReady(CONNECTING);
  return {
    cri,
    server,
    endpoint: served.endpoint,
    close: () => {
      cri.close();
      remove();
    },
  };
}

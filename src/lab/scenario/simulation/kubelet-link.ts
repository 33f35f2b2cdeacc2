import type { Clock } from '../../../base/clock/clock.js';
import { makeOwnDirectory } from '../../../base/host/own-directory.js';
import type { CriClient } from '../../../cri/client/client.js';
import { connectCri } from '../../../cri/client/connect.js';
import { clientOf } from '../../../cri/client/in-process.js';
import type { RestartableServer } from '../../../cri/restartable-server.js';
import type { CriService } from '../../../cri/service.js';
import type { Assembly } from '../../../runtime/assembly/assembly.js';
import { statusOf } from '../../../runtime/server/status.js';

export interface KubeletLink {
  readonly cri: CriClient;
  readonly server: RestartableServer;
  readonly endpoint?: string;
  close(): void;
}

export interface KubeletLinkOptions {
  readonly clock: Clock;
  readonly assembly: Assembly;
  readonly breakable: RestartableServer;
  readonly connect?: ((service: CriService, clock: Clock) => Promise<CriClient>) | undefined;
}

/** The gRPC code that the server would return. */
const codeOf = (error: unknown): number => statusOf(error, String).code;

export async function inProcess(options: KubeletLinkOptions): Promise<KubeletLink> {
  const { clock, assembly, breakable, connect } = options;
  const { service, host } = assembly;
  const cri = await (connect?.(service, clock) ?? clientOf(service, { clock, codeOf }));
  host.useServer(breakable);
  return { cri, server: breakable, close: () => {} };
}

/** Maximum real time for a client's first connection, in ms. */
const CONNECTING = 10_000;

/**
 * Connects the kubelet over its own unix socket. In real time a restart removes the socket. In virtual time it cannot,
 * because clients redial in real time: instead, every call is refused until the runtime is back.
 */
export async function overSocket({ clock, assembly, breakable }: KubeletLinkOptions): Promise<KubeletLink> {
  const { socket, remove } = await makeOwnDirectory();
  const served = await assembly.serve({ listen: `unix://${socket}` });
  const server = clock.kind === 'virtual' ? breakable : served;
  assembly.host.useServer(server);
  const client = connectCri(served.endpoint, { clock });
  await client.waitForReady(CONNECTING);
  return {
    cri: client,
    server,
    endpoint: served.endpoint,
    close: () => {
      client.close();
      remove();
    },
  };
}

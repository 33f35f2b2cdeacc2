import type { Clock } from '../../../base/clock/clock.js';
import { makeOwnDirectory } from '../../../base/host/own-directory.js';
import type { CriClient } from '../../../cri/client/client.js';
import { connectCri } from '../../../cri/client/connect.js';
import { clientOf } from '../../../cri/client/in-process.js';
import type { RestartableServer } from '../../../cri/restartable-server.js';
import type { CriService } from '../../../cri/service.js';
import type { Assembly } from '../../../runtime/assembly/assembly.js';
import { statusOf } from '../../../runtime/server/status.js';

/** The connection between kubelet and runtime. */
export interface KubeletLink {
  /** The runtime as the kubelet reaches it. */
  readonly cri: CriClient;
  /** What a restart of the runtime takes away and brings back. */
  readonly server: RestartableServer;
  /** Where the runtime listens, if it does. */
  readonly endpoint?: string;
  /** Disconnects the kubelet. */
  close(): void;
}

/** What the connection leads to, and how. */
export interface KubeletLinkOptions {
  readonly clock: Clock;
  readonly assembly: Assembly;
  /** The outermost layer of the assembly. */
  readonly breakable: RestartableServer;
  /** Wraps the kubelet's side. */
  readonly connect?: ((service: CriService, clock: Clock) => Promise<CriClient>) | undefined;
}

/** gRPC code of a service's error, as the server answers it. */
const codeOf = (error: unknown): number => statusOf(error, String).code;

/** Connects the kubelet in this process, without a socket. */
export async function inProcess(options: KubeletLinkOptions): Promise<KubeletLink> {
  const { clock, assembly, breakable, connect } = options;
  const { service, host } = assembly;
  const cri = await (connect?.(service, clock) ?? clientOf(service, { clock, codeOf }));
  host.useServer(breakable);
  return { cri, server: breakable, close: () => {} };
}

/** How long a client may take to connect for the first time, in ms of real time. */
const CONNECTING = 10_000;

/**
 * Connects the kubelet over its own unix socket. In real time a restart takes the socket away. In virtual time it
 * can't, because a client dials again in real time: there, every call is refused until the runtime is back.
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

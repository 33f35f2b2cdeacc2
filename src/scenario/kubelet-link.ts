import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../clock/clock.js';
import { connectCri } from '../cri/client.js';
import { type CriCalls, clientOf } from '../cri/in-process-client.js';
import type { CriService } from '../cri/service.js';
import type { Faults } from '../faults/faults.js';
import { type CriServer, startServer } from '../server/server.js';
import { createBreakableService } from './breakable-service.js';

/** Where kubelet and runtime meet. */
export interface KubeletLink {
  /** The runtime as the kubelet reaches it. */
  readonly cri: CriCalls;
  /** What a restart of the runtime takes away and brings back. */
  readonly server: Pick<CriServer, 'suspend' | 'resume' | 'connections'>;
  close(): Promise<void>;
}

/** What stands between the kubelet and the runtime. */
export interface KubeletLinkOptions {
  readonly clock: Clock;
  readonly faults: Faults;
  /** gRPC code of a service's error, as the server answers it. */
  readonly codeOf: (error: unknown) => number;
  /** Told every RPC that the kubelet tries. */
  readonly called: (rpc: string) => void;
  /** Wraps the kubelet's side. */
  readonly connect?: ((service: CriService, clock: Clock) => Promise<CriCalls>) | undefined;
}

type Door = Pick<CriServer, 'suspend' | 'resume' | 'connections'>;

/** In this process, without a socket. */
export async function inProcess({
  clock,
  faults,
  codeOf,
  called,
  connect,
}: KubeletLinkOptions): Promise<KubeletLink> {
  const gate = createBreakableService(faults.service, called);
  const cri = await (connect?.(gate.service, clock) ?? clientOf(gate.service, { clock, codeOf }));
  return { cri, server: gate as unknown as Door, close: async () => {} };
}

/** How long a client may take to connect for the first time, in ms of real time. */
const CONNECTING = 10_000;

/**
 * Over a unix socket of its own. In real time a restart takes the socket away. In virtual time it can't, because a
 * client dials again in real time; there every call is refused meanwhile.
 */
export async function overSocket({ clock, faults, called }: KubeletLinkOptions): Promise<KubeletLink> {
  const directory = await mkdtemp(join(tmpdir(), 'mockri-simulation-'));
  const remove = () => rmSync(directory, { recursive: true, force: true });
  // A process that is ended in the middle leaves no socket.
  process.once('exit', remove);
  const gate = createBreakableService(faults.service, called);
  const server = await startServer({
    service: gate.service,
    clock,
    listen: `unix://${join(directory, 'cri.sock')}`,
    treatConnection: faults.treatConnection,
  });
  const client = connectCri(server.endpoint, { clock });
  await client.waitForReady(CONNECTING);
  return {
    cri: client as unknown as CriCalls,
    server: clock.kind === 'virtual' ? (gate as unknown as Door) : server,
    close: async () => {
      client.close();
      await server.close(0);
      process.off('exit', remove);
      remove();
    },
  };
}

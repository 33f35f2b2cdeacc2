import type { Duplex } from 'node:stream';
import { NODE } from '../../../src/base/clock/network/loopback.js';
import type { Binding } from '../../../src/base/network/listen.js';
import type { SimulatedNetwork } from '../../../src/base/network/network.js';
import { CriError } from '../../../src/cri/errors.js';
import type { PodSandboxConfig } from '../../../src/cri/gen/runtime/v1/api.js';

/** The ports that programs of this machine can reach: none, the pods' own addresses, or the node's loopback as well. */
export type MachinePorts = 'none' | 'pods' | 'all';

export function bindingsOf(
  config: PodSandboxConfig,
  ip: string | undefined,
  port: number,
  machinePorts: MachinePorts,
): readonly Binding[] {
  const ofNode = (hostPort: number) => ({
    address: NODE,
    port: hostPort,
    isOnMachine: machinePorts === 'all',
  });
  // There is nothing to map: the kubelet sets the host port of each port of such a pod to that port (SetDefaults_Pod).
  if (ip === undefined) return [ofNode(port)];
  const mapped = config.portMappings.filter(
    ({ containerPort, hostPort }) => containerPort === port && hostPort > 0,
  );
  return [
    { address: ip, port, isOnMachine: machinePorts !== 'none' },
    ...mapped.map(({ hostPort }) => ofNode(hostPort)),
  ];
}

export async function forward(
  network: SimulatedNetwork,
  ip: string | undefined,
  port: number,
  client: Duplex,
  signal: AbortSignal,
): Promise<void> {
  const socket = await network.connect(NODE, port, signal, ip).catch((error: Error) => {
    const message = `failed to connect to port ${port} inside the pod: ${error.message}`;
    throw new CriError('unavailable', message, { problem: { name: 'port-refused', port } });
  });
  const stop = () => void socket.destroy();
  socket.on('error', stop);
  // The client may have left while the connection was made.
  if (signal.aborted || client.destroyed) {
    stop();
    return;
  }
  signal.addEventListener('abort', stop, { once: true });
  client.pipe(socket).pipe(client);
  client.once('error', stop).once('close', stop);
  await new Promise<void>((resolve) => socket.once('close', () => resolve()).once('error', () => resolve()));
  signal.removeEventListener('abort', stop);
}

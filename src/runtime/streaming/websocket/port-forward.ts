import { finished } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import type { Channel } from '../../../cri/websocket/channel.js';
import { WebSocketConnection } from '../../../cri/websocket/connection.js';
import { type Forwarder, forwardPort } from '../port.js';

/** Whether each encodes its messages in base64; the first is the default of a client that offers none. */
export const PORT_FORWARD_SUBPROTOCOLS: ReadonlyMap<string, boolean> = new Map([
  ['', false],
  ['v4.channel.k8s.io', false],
  ['v4.base64.channel.k8s.io', true],
]);

const LINGER = 5000;

/** Two channels for each port, in the order of `ports`: data, then errors. */
export interface WebSocketForwardOptions extends Forwarder {
  readonly ports: readonly number[];
  /** The subprotocol; empty for none. */
  readonly protocol: string;
}

/** One connection per port: channel 2n has its data, 2n+1 its errors, after the port (little endian). */
export async function forwardOverWebSocket(
  socket: WebSocket,
  options: WebSocketForwardOptions,
): Promise<void> {
  const { clock, ports, protocol } = options;
  const base64 = PORT_FORWARD_SUBPROTOCOLS.get(protocol) ?? false;
  const connection = new WebSocketConnection(socket, {
    clock,
    coding: { base64, halfClose: false },
    channels: ports.length * 2,
  });
  const { channels, closed } = connection;
  await Promise.all(
    ports.map((port, index) => {
      const data = channels[index * 2];
      const error = channels[index * 2 + 1];
      if (data === undefined || error === undefined) return undefined;
      return clock.run(() => forward(options, port, { data, error }, socket, closed));
    }),
  );
  connection.close(LINGER);
}

async function forward(
  options: WebSocketForwardOptions,
  port: number,
  { data, error }: { readonly data: Channel; readonly error: Channel },
  socket: WebSocket,
  closed: AbortSignal,
): Promise<void> {
  const prefix = Buffer.alloc(2);
  prefix.writeUInt16LE(port);
  data.write(prefix);
  error.write(prefix);
  error.resume();
  const failure = await forwardPort(options, port, data, () => socket.terminate(), closed);
  if (failure !== undefined) error.write(failure);
  for (const channel of [data, error]) {
    channel.end();
    await finished(channel, { readable: false }).catch(() => {});
  }
  data.resume();
}

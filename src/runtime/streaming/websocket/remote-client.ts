import { finished } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/clock/clock.js';
import { WebSocketConnection } from '../../../cri/websocket/connection.js';
import type { RemoteClient, RemoteCommand } from '../remote-command.js';
import { terminalSizes } from '../resize.js';
import { jsonStatus, textStatus } from '../status.js';

interface RemoteProtocol {
  readonly base64: boolean;
  readonly halfClose: boolean;
  readonly json: boolean;
}

/** Clients of Kubernetes 1.30 and later choose it first. */
export const NEWEST_SUBPROTOCOL = 'v5.channel.k8s.io';

const V1: RemoteProtocol = { base64: false, halfClose: false, json: false };

/** The server takes the first of the client's that it knows; a client that offers none gets the first here. */
export const REMOTE_COMMAND_SUBPROTOCOLS: ReadonlyMap<string, RemoteProtocol> = new Map([
  ['', V1],
  ['channel.k8s.io', V1],
  ['base64.channel.k8s.io', { ...V1, base64: true }],
  ['v4.channel.k8s.io', { ...V1, json: true }],
  ['v4.base64.channel.k8s.io', { base64: true, halfClose: false, json: true }],
  [NEWEST_SUBPROTOCOL, { base64: false, halfClose: true, json: true }],
]);

const STDIN = 0;
const STDOUT = 1;
const STDERR = 2;
const ERROR = 3;
const RESIZE = 4;

/** Time in ms that a client has to answer the closing handshake. */
const LINGER = 5000;

export interface WebSocketRemoteOptions {
  readonly clock: Clock;
  /** The subprotocol; empty for none. */
  readonly protocol: string;
  readonly session: RemoteCommand['session'];
}

/** Five channels: stdin, stdout, stderr, error, resize (cri-streaming remotecommand websocket.go). */
export function webSocketRemoteClient(socket: WebSocket, options: WebSocketRemoteOptions): RemoteClient {
  const { clock, protocol, session } = options;
  const { base64, halfClose, json } = REMOTE_COMMAND_SUBPROTOCOLS.get(protocol) ?? V1;
  const connection = new WebSocketConnection(socket, { clock, coding: { base64, halfClose }, channels: 5 });
  const channel = (number: number, wanted: boolean) => {
    const found = connection.channels[number];
    // Discards a channel that the client did not request.
    if (!wanted) found?.resume();
    return wanted ? found : undefined;
  };
  const stdin = channel(STDIN, session.stdin);
  const stdout = channel(STDOUT, session.stdout);
  const stderr = channel(STDERR, session.stderr);
  const resize = channel(RESIZE, session.tty);
  const error = channel(ERROR, true);
  for (const output of [stdout, stderr, error]) output?.resume();
  // Tells the client that it is connected (cri-streaming remotecommand websocket.go).
  connection.send(session.stdout ? STDOUT : session.stderr ? STDERR : ERROR, Buffer.alloc(0));
  return {
    streams: { stdin, stdout, stderr, resize: resize && terminalSizes(resize) },
    closed: connection.closed,
    report: (outcome) => {
      error?.end(outcome && (json ? jsonStatus(outcome) : textStatus(outcome)));
      if (error !== undefined)
        void finished(error, { readable: false }).then(
          () => connection.close(LINGER),
          () => {},
        );
    },
  };
}

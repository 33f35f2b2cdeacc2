import type { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { createWebSocketStream, type WebSocket, WebSocketServer } from 'ws';
import type { Clock } from '../../base/clock/clock.js';
import type { Account } from '../../base/input/account.js';
import { breakSocket } from '../../base/network/treated-socket.js';
import { Unread } from '../../cri/spdy/unread.js';
import type { StreamingHandler } from '../engine/streaming.js';
import type { SessionSite, StreamRules } from '../fault-decisions.js';
import type { StreamingLimits } from './limits.js';
import { refuse } from './refuse.js';
import { type RemoteClient, type RemoteCommand, runRemoteCommand } from './remote-command.js';
import type { StreamRequest } from './request.js';
import { SessionTap } from './session-tap.js';
import { forwardOverSpdy, PORT_FORWARD_PROTOCOL } from './spdy/port-forward.js';
import { REMOTE_COMMAND_PROTOCOLS, spdyRemoteClient } from './spdy/remote-client.js';
import { forwardOverWebSocket, PORT_FORWARD_SUBPROTOCOLS } from './websocket/port-forward.js';
import {
  NEWEST_SUBPROTOCOL,
  REMOTE_COMMAND_SUBPROTOCOLS,
  webSocketRemoteClient,
} from './websocket/remote-client.js';

/** SPDY bytes in binary messages: crictl and kubectl forward ports with it over WebSocket. */
const TUNNEL = `SPDY/3.1+${PORT_FORWARD_PROTOCOL}`;

/** Longest accepted WebSocket message; pausing limits the rest of the connection's memory. */
const MAX_MESSAGE = 4 * 1024 * 1024;

export interface SessionContext {
  readonly handler: StreamingHandler;
  readonly clock: Clock;
  /** Accounts for received bytes that are not read yet. */
  readonly account: Account | undefined;
  readonly limits: StreamingLimits;
  readonly rules?: StreamRules | undefined;
}

export interface Upgrade {
  readonly message: IncomingMessage;
  readonly socket: Duplex;
  /** The client's bytes after the request. */
  readonly head: Buffer;
}

/** Accepts the upgrade and serves the session to its end; never throws. */
export async function serveSession(
  context: SessionContext,
  request: StreamRequest,
  upgrade: Upgrade,
): Promise<void> {
  const { socket, message } = upgrade;
  const kind = message.headers.upgrade?.toLowerCase();
  try {
    const treatment = await treatmentOf(context, request, socket);
    if (treatment?.action?.name === 'refuse') return breakOff(socket);
    if (socket.destroyed) return;
    const tap = treatment && new SessionTap(treatment, context.clock, () => breakOff(socket));
    if (kind === 'spdy/3.1') await serveSpdy(context, request, upgrade, tap);
    else if (kind === 'websocket') await serveWebSocket(context, request, upgrade, tap);
    else
      refuse(socket, {
        status: 400,
        message: `unable to upgrade: Upgrade is "${message.headers.upgrade}"; it can be SPDY/3.1 or websocket`,
      });
  } catch {
    socket.destroy();
  }
}

/** Effects of rules on an exec or attach, after their delays; each connection of a port-forward gets its own later. */
function treatmentOf({ rules }: SessionContext, request: StreamRequest, socket: Duplex) {
  if (rules === undefined || request.kind === 'portforward') return undefined;
  const { containerId, stdin, stdout, stderr, tty } = request.session;
  const streams = { containerId, stdin, stdout, stderr, tty };
  const site: SessionSite =
    request.kind === 'exec'
      ? { method: 'Exec', request: { ...streams, cmd: request.session.command } }
      : { method: 'Attach', request: streams };
  const gone = new AbortController();
  socket.once('close', () => gone.abort());
  return rules.treatSession(site, gone.signal);
}

/** Drops the client after sending everything that was written to it. */
const breakOff = (socket: Duplex): void =>
  void socket.write('', () => (socket instanceof Socket ? breakSocket(socket) : socket.destroy()));

async function serveSpdy(
  context: SessionContext,
  request: StreamRequest,
  { message, socket, head }: Upgrade,
  tap: SessionTap | undefined,
): Promise<void> {
  const offered = listOf(message.headers['x-stream-protocol-version']);
  const supported = request.kind === 'portforward' ? [PORT_FORWARD_PROTOCOL] : REMOTE_COMMAND_PROTOCOLS;
  if (offered.length === 0)
    return refuse(socket, {
      status: 400,
      message: 'unable to upgrade: X-Stream-Protocol-Version is required',
    });
  const protocol = offered.find((one) => supported.includes(one));
  if (protocol === undefined)
    return refuse(socket, {
      status: 403,
      message: `unable to upgrade: unable to negotiate protocol: client supports [${offered.join(' ')}], server accepts [${supported.join(' ')}]`,
      headers: { 'X-Accepted-Stream-Protocol-Versions': supported.join(', ') },
    });
  socket.write(
    `HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Stream-Protocol-Version: ${protocol}\r\n\r\n`,
  );
  if (head.length > 0) socket.unshift(head);
  const { clock, account, handler, limits, rules } = context;
  const { streamCreationTimeout } = limits;
  if (request.kind === 'portforward') {
    await forwardOverSpdy(socket, {
      clock,
      account,
      handler,
      rules,
      streamCreationTimeout,
      sandboxId: request.sandboxId,
    });
    return;
  }
  const { session } = request;
  const client = await spdyRemoteClient(socket, { clock, account, protocol, session, streamCreationTimeout });
  if (client !== undefined) await runToEnd(context, request, client, tap);
}

async function serveWebSocket(
  context: SessionContext,
  request: StreamRequest,
  upgrade: Upgrade,
  tap: SessionTap | undefined,
): Promise<void> {
  const known =
    request.kind === 'portforward'
      ? [TUNNEL, ...PORT_FORWARD_SUBPROTOCOLS.keys()]
      : [...REMOTE_COMMAND_SUBPROTOCOLS.keys()];
  const supported = known.filter(
    (one) => context.handler.newestSubprotocols || (one !== TUNNEL && one !== NEWEST_SUBPROTOCOL),
  );
  const offered = listOf(upgrade.message.headers['sec-websocket-protocol']);
  const protocol = offered.length === 0 ? '' : offered.find((one) => supported.includes(one));
  if (protocol === undefined) {
    // Runtimes send no reason (golang.org/x/net/websocket). client-go mistakes a text with a colon for an empty Status.
    const message = context.handler.newestSubprotocols
      ? `the client offers subprotocols [${offered.join(' ')}], the server accepts [${supported.filter(Boolean).join(' ')}]`
      : '';
    return refuse(upgrade.socket, { status: 403, message });
  }
  const { clock, account, handler, limits, rules } = context;
  const socket = await openWebSocket(upgrade, protocol, account);
  if (socket === undefined) return;
  if (request.kind !== 'portforward') {
    const client = webSocketRemoteClient(socket, { clock, protocol, session: request.session });
    await runToEnd(context, request, client, tap);
  } else if (protocol === TUNNEL) {
    const { sandboxId } = request;
    const { streamCreationTimeout } = limits;
    const transport = createWebSocketStream(socket);
    await forwardOverSpdy(transport, { clock, account, handler, rules, sandboxId, streamCreationTimeout });
  } else {
    await forwardOverWebSocket(socket, { clock, handler, rules, protocol, ...request });
  }
}

/** Undefined if refused. Selects the subprotocol itself: ws accepts only tokens, unlike the tunnel's name. */
function openWebSocket(
  { message, socket, head }: Upgrade,
  protocol: string,
  account: Account | undefined,
): Promise<WebSocket | undefined> {
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    maxPayload: MAX_MESSAGE,
  });
  delete message.headers['sec-websocket-protocol'];
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  return new Promise((resolve) => {
    socket.once('close', () => resolve(undefined));
    server.handleUpgrade(message, socket, head, (webSocket) => {
      payFor(webSocket, socket, account);
      resolve(webSocket);
    });
  });
}

/** A control frame of a client without its data (RFC 6455, 5.2). */
const CONTROL_FRAME = 6;

/** Charges the account for incomplete and unread messages; resets the connection when there is no memory. */
function payFor(webSocket: WebSocket, socket: Duplex, account: Account | undefined): void {
  const unread = new Unread(account, () => socket.destroy());
  /** Bytes received, and how many of them belong to complete messages. */
  let [came, whole] = [0, 0];
  const giveBack = () => {
    // The connection is paused until its messages are read.
    if (webSocket.isPaused) return;
    unread.add(-whole);
    came -= whole;
    whole = 0;
  };
  socket.prependListener('data', (chunk: Buffer) => {
    giveBack();
    came += chunk.length;
    unread.add(chunk.length);
  });
  const noteWhole = (bytes: number) => {
    whole = Math.min(came, bytes);
    queueMicrotask(giveBack);
  };
  webSocket.on('message', () => noteWhole(came));
  for (const event of ['ping', 'pong'] as const)
    webSocket.on(event, (data: Buffer) => noteWhole(whole + CONTROL_FRAME + data.length));
  socket.once('close', () => unread.close());
}

/** Runs the command, and waits until its client has disconnected. */
async function runToEnd(
  context: SessionContext,
  command: RemoteCommand,
  client: RemoteClient,
  tap: SessionTap | undefined,
) {
  await runRemoteCommand(context.handler, command, client, context.clock, tap);
  if (client.closed.aborted) return;
  await new Promise((resolve) => client.closed.addEventListener('abort', resolve, { once: true }));
}

/** Splits a header that may occur more than once or hold a list. */
function listOf(header: string | string[] | undefined): string[] {
  return [header ?? []]
    .flat()
    .flatMap((value) => value.split(','))
    .map((value) => value.trim())
    .filter((value) => value !== '');
}

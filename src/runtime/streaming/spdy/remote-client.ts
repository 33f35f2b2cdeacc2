import type { Duplex } from 'node:stream';
import type { Clock } from '../../../base/clock/clock.js';
import type { Account } from '../../../base/input/account.js';
import { SpdyConnection } from '../../../cri/spdy/connection.js';
import type { SpdyStream } from '../../../cri/spdy/stream.js';
import type { RemoteClient, RemoteCommand } from '../remote-command.js';
import { terminalSizes } from '../resize.js';
import { jsonStatus, textStatus } from '../status.js';

/** Best first; the server takes the first of the client's protocols that is in this list. */
export const REMOTE_COMMAND_PROTOCOLS = [
  'v4.channel.k8s.io',
  'v3.channel.k8s.io',
  'v2.channel.k8s.io',
  'channel.k8s.io',
];

/** Time in ms that a client has to close after it has received the command's status. */
const LINGER = 5000;

export interface SpdyRemoteOptions {
  readonly clock: Clock;
  readonly account?: Account | undefined;
  readonly protocol: string;
  readonly session: RemoteCommand['session'];
  /** Time in ms in which the client has to open its streams. */
  readonly streamCreationTimeout: number;
}

/** Waits for the streams that the session needs. If they don't arrive, closes it and returns undefined. */
export async function spdyRemoteClient(
  transport: Duplex,
  options: SpdyRemoteOptions,
): Promise<RemoteClient | undefined> {
  const { clock, account, protocol } = options;
  const missing = expectedStreams(options);
  const streams = new Map<string, SpdyStream>();
  let arrived = () => {};
  const connection = new SpdyConnection(transport, {
    clock,
    account,
    accept: (stream) => {
      const type = stream.headers.get('streamtype') ?? '';
      if (!missing.delete(type)) return false;
      streams.set(type, stream);
      if (missing.size === 0) arrived();
      return true;
    },
  });
  await new Promise<void>((resolve) => {
    const timer = clock.setTimer(options.streamCreationTimeout, resolve);
    arrived = () => {
      timer.cancel();
      resolve();
    };
    connection.closed.addEventListener('abort', arrived, { once: true });
  });
  if (missing.size > 0) {
    connection.close(LINGER);
    return undefined;
  }
  const resize = streams.get('resize');
  const error = streams.get('error');
  return {
    streams: {
      stdin: streams.get('stdin'),
      stdout: streams.get('stdout'),
      stderr: streams.get('stderr'),
      resize: resize && terminalSizes(resize),
    },
    closed: connection.closed,
    report: (outcome) => {
      error?.end(outcome && (protocol === 'v4.channel.k8s.io' ? jsonStatus(outcome) : textStatus(outcome)));
      // Go's client closes as soon as it has read the status; an immediate GOAWAY would interrupt it.
      const timer = clock.setTimer(LINGER, () => connection.close(LINGER));
      connection.closed.addEventListener('abort', () => timer.cancel(), { once: true });
    },
  };
}

/** cri-streaming remotecommand httpstream.go: the error stream always; resize with a tty, since v3. */
function expectedStreams({ session, protocol }: SpdyRemoteOptions): Set<string> {
  const expected = new Set(['error']);
  if (session.stdin) expected.add('stdin');
  if (session.stdout) expected.add('stdout');
  if (session.stderr) expected.add('stderr');
  if (session.tty && /^v[34]/.test(protocol)) expected.add('resize');
  return expected;
}

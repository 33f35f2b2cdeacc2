import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTcp } from 'node:net';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import type { VirtualClock } from '../../../base/clock/virtual-clock.js';

export interface Upstream {
  readonly port: number;
  /** Certificate of the API server, in PEM. */
  readonly ca: string;
}

/** Bytes in transit per stream and connection: a list is not to wait for window updates. */
const WINDOW = 16 * 1024 * 1024;

/** Connections to the API server: one of HTTP/2, opened again after it has closed. */
export function createUpstream(clock: VirtualClock, { port, ca }: Upstream) {
  let session: ClientHttp2Session | undefined;
  const dial = (protocol: 'h2' | 'http/1.1'): TLSSocket => {
    // The clock follows the TCP socket, because that of TLS doesn't count the bytes of its handshake.
    const raw = connectTcp(port, '127.0.0.1').setNoDelay(true);
    clock.wires.follow(raw);
    return connectTls({ socket: raw, host: '127.0.0.1', ca, ALPNProtocols: [protocol] });
  };
  const open = (): ClientHttp2Session => {
    const made = connect(`https://127.0.0.1:${port}`, {
      createConnection: () => dial('h2'),
      settings: { initialWindowSize: WINDOW },
    });
    made.on('connect', () => made.setLocalWindowSize(WINDOW)).on('error', () => {});
    return made;
  };
  return {
    session: (): ClientHttp2Session => {
      if (session === undefined || session.destroyed || session.closed) session = open();
      return session;
    },
    /** A new connection for HTTP/1.1, because HTTP/2 has no upgrades. */
    dial: (): TLSSocket => dial('http/1.1'),
    close: (): void => session?.destroy(),
  };
}

import { connect, type OnReadOpts, type Socket } from 'node:net';
import { createRealClock } from '../../clock/real-clock.js';
import { createRandom, jitter } from '../../random/random.js';
import { Http2Connection } from './connection.js';
import { CLOSING, statusOfDial, type WireStatus } from './status.js';

/** How long a connection may take until the server greets, in ms (the kubelet's MinConnectTimeout). */
const DIALING = 5000;

/** After a failed dial calls fail at once for so long (ms), longer each time, as with gRPC's connection back-off. */
const BACK_OFF = { first: 100, factor: 1.6, most: 1000, jitter: 0.2 } as const;

/** A way to a server: one connection, dialled when it is needed. */
export interface Channel {
  /** The connection, if it is there; the quick way. */
  readonly open: Http2Connection | undefined;
  /** Dials if need be. Rejects with the `WireStatus` that calls end with. */
  connection(): Promise<Http2Connection>;
  /** Dials again and again; rejects once `timeout` ms of real time have passed. */
  waitForReady(timeout: number): Promise<void>;
  close(): void;
}

/** Connections are made and broken in real time, whatever clock the calls are on. */
export function createChannel(endpoint: string): Channel {
  const clock = createRealClock();
  const random = createRandom(Number(clock.now() % 1_000_000_007n));
  let open: Http2Connection | undefined;
  let dialing: Promise<Http2Connection> | undefined;
  let failure: WireStatus | undefined;
  let retryAt = 0;
  let failures = 0;
  let isClosed = false;

  const failed = (reason: string): WireStatus => {
    const delay = Math.min(BACK_OFF.first * BACK_OFF.factor ** failures++, BACK_OFF.most);
    retryAt = clock.elapsed() + jitter(random, delay, BACK_OFF.jitter);
    failure = statusOfDial(reason);
    return failure;
  };

  const dial = (): Promise<Http2Connection> =>
    new Promise((resolve, reject) => {
      const socket = socketTo(endpoint, (chunk) => connection.receive(chunk));
      const late = clock.setTimer(DIALING, () => {
        socket.destroy(new Error('context deadline exceeded'));
      });
      const ready = () => {
        late.cancel();
        failure = undefined;
        failures = 0;
        open = connection;
        resolve(connection);
      };
      const closed = (reason: string) => {
        late.cancel();
        if (open === connection) open = undefined;
        else reject(failed(reason));
      };
      const connection = new Http2Connection(socket, ready, closed);
    });

  const connection = (): Promise<Http2Connection> => {
    if (isClosed) return Promise.reject(CLOSING);
    if (open !== undefined) return Promise.resolve(open);
    if (dialing !== undefined) return dialing;
    if (failure !== undefined && clock.elapsed() < retryAt) return Promise.reject(failure);
    dialing = dial().finally(() => {
      dialing = undefined;
    });
    return dialing;
  };

  return {
    get open() {
      return open;
    },
    connection,
    waitForReady: async (timeout) => {
      const until = clock.elapsed() + timeout;
      for (;;) {
        try {
          await connection();
          return;
        } catch (status) {
          const { details } = status as WireStatus;
          if (isClosed || clock.elapsed() >= until)
            throw new Error(`no connection to ${endpoint}: ${details}`);
          await clock.sleep(Math.min(retryAt, until) - clock.elapsed());
        }
      }
    },
    close: () => {
      isClosed = true;
      open?.close();
      void dialing?.then(
        (made) => made.close(),
        () => {},
      );
    },
  };
}

/** Takes `unix:///path`, `unix:path`, `/path`, `tcp://host:port` or `host:port`; errors read as Go's. */
function socketTo(endpoint: string, received: (chunk: Buffer) => void): Socket {
  const path = endpoint.startsWith('/') ? endpoint : /^unix:(?:\/\/)?(.*)$/s.exec(endpoint)?.[1];
  const [host, port] = hostAndPort(endpoint);
  const to = path === undefined ? `tcp ${host}:${port}` : `unix ${path}`;
  const onread = readingInto(Buffer.allocUnsafe(READ_SIZE), received);
  const socket =
    path === undefined ? connect({ host, port, noDelay: true, onread }) : connect({ path, onread });
  socket.prependOnceListener('error', (error: NodeJS.ErrnoException) => {
    if (error.syscall === 'connect')
      error.message = `dial ${to}: connect: ${ERRNO[error.code ?? ''] ?? error.message}`;
  });
  return socket;
}

/** What one read takes at most, in bytes. */
const READ_SIZE = 65_536;

/** Node would make a buffer of that size for each read, however little comes; this copies what came. */
function readingInto(buffer: Buffer, received: (chunk: Buffer) => void): OnReadOpts {
  const callback = (size: number) => {
    received(Buffer.from(buffer.subarray(0, size)));
    return true;
  };
  return { buffer, callback };
}

function hostAndPort(endpoint: string): [host: string, port: number] {
  const address = endpoint.replace(/^tcp:\/\//, '');
  const at = address.lastIndexOf(':');
  return [address.slice(0, at).replace(/^\[|\]$/g, ''), Number(address.slice(at + 1))];
}

const ERRNO: Readonly<Record<string, string>> = {
  ENOENT: 'no such file or directory',
  ECONNREFUSED: 'connection refused',
  EACCES: 'permission denied',
};
